#!/usr/bin/env bash
# Installs what the tests of the live screen in `npm test` need on Debian or Ubuntu: a terminal.
exec "$(dirname "$0")/apt-install" test <<'END'
tmux tmux
END
