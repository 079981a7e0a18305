#!/usr/bin/env bash
# Installs what `npm run test:alerts` needs on Debian or Ubuntu.
exec "$(dirname "$0")/apt-install" test:alerts <<'END'
promtool prometheus
END
