#!/usr/bin/env bash
# Installs what `npm run test:images` needs on Debian or Ubuntu: a container runtime, a registry, a C compiler for opm, and
# network tools to isolate them.
exec "$(dirname "$0")/apt-install" test:images <<'END'
podman podman
/usr/lib/podman/netavark netavark
/usr/lib/podman/aardvark-dns aardvark-dns
skopeo skopeo
docker-registry docker-registry
openssl openssl
ip iproute2
tc iproute2
setpriv util-linux
jq jq
curl curl
pkill procps
gcc gcc
END
