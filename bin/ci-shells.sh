#!/usr/bin/env bash
# Installs the shells that the tests of completion scripts start, from Debian's packages. Without one of them its tests are
# skipped, and their title says so.
set -uo pipefail

command -v fish >/dev/null && command -v zsh >/dev/null && exit 0
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "no shells can be installed here: tests of completion in fish and zsh are skipped"
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
(apt-get update && apt-get install -y --no-install-recommends fish zsh) >/dev/null 2>&1 ||
  echo "fish and zsh could not be installed: tests of completion in them are skipped"
