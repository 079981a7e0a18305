#!/usr/bin/env bash
# Installs what `npm run image` and `npm run test:container` need on Debian or Ubuntu.
exec "$(dirname "$0")/apt-install" test:container <<'END'
buildah buildah
strip binutils
ldd libc-bin
END
