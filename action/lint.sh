#!/usr/bin/env bash
# Validates and lints all workflow files; problems are annotations of the files.
set -euo pipefail
weft validate "$WEFT_FOLDER" --format github
