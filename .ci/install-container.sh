#!/usr/bin/env bash
# Installs what `npm run image`, `npm run release` and their tests need. Works on Debian 12 only: the image contains the C
# library of that release.
exec "$(dirname "$0")/apt-install" test:container <<'END'
buildah buildah
podman podman
/usr/lib/podman/netavark netavark
skopeo skopeo
x86_64-linux-gnu-strip binutils-x86-64-linux-gnu
aarch64-linux-gnu-strip binutils-aarch64-linux-gnu
dpkg-deb dpkg
openssl openssl
jq jq
unzip unzip
END
