#!/usr/bin/env bash
# Gets a container engine for the tests of container services, where Debian's packages are and none works yet. Without
# one those tests say why they were skipped.
set -uo pipefail

if podman version >/dev/null 2>&1 || docker version >/dev/null 2>&1; then exit 0; fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "no container engine works here and none can be installed: tests of container services are skipped"
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
(apt-get update && apt-get install -y --no-install-recommends podman runc) >/dev/null 2>&1 ||
  echo "podman could not be installed: tests of container services are skipped"
