#!/usr/bin/env bash
# Installs what `npm run test:images` needs on Debian or Ubuntu: a container runtime, a registry, and the tools to
# set them up on a network of their own. Does nothing when all of it is there. Needs root.
set -euo pipefail

# Program, then the package that it comes from.
wanted="podman podman
skopeo skopeo
docker-registry docker-registry
openssl openssl
ip iproute2
setpriv util-linux"

packages=()
while read -r program package; do
  command -v "$program" >/dev/null || packages+=("$package")
done <<<"$wanted"

if [ "${#packages[@]}" -eq 0 ]; then
  echo "test:images: everything is installed"
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "test:images: no apt-get here; install by hand: ${packages[*]}" >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "test:images: run this as root to install: ${packages[*]}" >&2
  exit 1
fi

echo "test:images: installing ${packages[*]}"
# The registry comes with a service; the tests start their own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
fi
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
if apt-get update >"$log" 2>&1 && apt-get install --yes --no-install-recommends "${packages[@]}" >>"$log" 2>&1; then
  rm -f "$log"
  echo "test:images: installed"
else
  tail -n 20 "$log" >&2
  echo "test:images: apt-get failed; all of its output is in $log" >&2
  exit 1
fi
