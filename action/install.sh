#!/usr/bin/env bash
# Installs the command line, unless it is on the PATH already.
set -euo pipefail
command -v weft > /dev/null || npm install --global "weft-workflows@${WEFT_VERSION:-latest}"
weft version
