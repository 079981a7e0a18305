#!/usr/bin/env bash
# Installs what `npm run test:node` needs on Debian or Ubuntu, besides Go and what the cluster and image tiers need.
"$(dirname "$0")/install-images.sh"
exec "$(dirname "$0")/apt-install" test:node <<'END'
conmon conmon
runc runc
/usr/lib/cni/bridge containernetworking-plugins
busybox busybox-static
iptables-nft iptables
etcd etcd-server
END
