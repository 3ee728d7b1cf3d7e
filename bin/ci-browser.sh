#!/usr/bin/env bash
# Installs the browser that tests of the console run in, where Debian's packages are. Without it they are skipped, and
# `npm run test:web` says so.
set -uo pipefail

command -v chromium >/dev/null || command -v google-chrome >/dev/null && exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "no Chromium can be installed here: tests of the console are skipped"
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
(apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core) >/dev/null 2>&1 ||
  echo "Chromium could not be installed: tests of the console are skipped"
