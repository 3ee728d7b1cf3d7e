#!/usr/bin/env bash
# Installs the command line: the given version of the package, or that of this revision of the action.
set -euo pipefail
if [ -n "${WEFT_VERSION:-}" ]; then
  npm install --global "weft-workflows@$WEFT_VERSION"
  weft version
  exit 0
fi
cd "$GITHUB_ACTION_PATH"
[ -d node_modules ] || npm ci --omit=dev
programs="$RUNNER_TEMP/weft"
mkdir -p "$programs"
ln -sf "$PWD/bin/weft.mjs" "$programs/weft"
echo "$programs" >> "$GITHUB_PATH"
"$programs/weft" version
