#!/usr/bin/env bash
# Installs what `npm run test:node` needs on Debian or Ubuntu, besides Go.
for tier in cluster images container; do "$(dirname "$0")/install-$tier.sh"; done
exec "$(dirname "$0")/apt-install" test:node <<'END'
conmon conmon
runc runc
/usr/lib/cni/bridge containernetworking-plugins
busybox busybox-static
iptables-nft iptables
etcd etcd-server
END
