#!/usr/bin/env bash
# Runs the tests of the workflows, if there are any.
set -euo pipefail
if [ -z "$(find "$WEFT_FOLDER" -name '*.test.y*ml' -not -path '*/node_modules/*' -print -quit)" ]; then
  echo 'no tests'
  exit 0
fi
weft test "$WEFT_FOLDER"
