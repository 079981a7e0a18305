#!/usr/bin/env bash
# Installs what `npm run test:cluster` needs on Debian or Ubuntu, besides Go.
exec "$(dirname "$0")/apt-install" test:cluster <<'END'
chromium chromium
etcd etcd-server
openssl openssl
setpriv util-linux
END
