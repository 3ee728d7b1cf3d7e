#!/usr/bin/env bash
# Gets promtool, which checks the metrics and the alert rules, from Debian's package of Prometheus. The package is unpacked
# and not installed: it would start a service. Without promtool its tests are skipped, and say so.
set -uo pipefail
folder="${PROMTOOL_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/weft/promtool}"

# Copies promtool alone to a folder: the rest of the package has 90 MB.
fetch_promtool() (
  set -e
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cd "$work"
  apt-get download prometheus
  dpkg -x prometheus_*.deb unpacked
  mkdir -p "$1"
  mv unpacked/usr/bin/promtool "$1/promtool.part"
  mv "$1/promtool.part" "$1/promtool"
)

command -v promtool >/dev/null && exit 0
[ -e "$folder/promtool" ] && exit 0
if command -v apt-get >/dev/null; then
  [ "$(id -u)" -ne 0 ] || apt-get update >/dev/null 2>&1
  fetch_promtool "$folder" >/dev/null 2>&1
fi
[ -e "$folder/promtool" ] || echo "promtool could not be had: metrics and alert rules are not checked by it"
