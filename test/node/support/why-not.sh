#!/usr/bin/env bash
# why-not.sh: prints why this machine cannot be a node's, and fails; succeeds when it can. Tries what machine.sh does, in
# namespaces that end with it.
set -euo pipefail
[ "$(id -u)" -eq 0 ] || { echo "namespaces and mounts need root" && exit 1; }
# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --net --mount --pid --uts --ipc --fork --kill-child --mount-proc --propagation private bash -euc '
  try() {
    local what=$1
    shift
    "$@" >/dev/null 2>&1 || { echo "$what is not possible here: $*" && exit 1; }
  }
  folder=$(mktemp -d)
  trap "umount \"$folder\" 2>/dev/null || true; rmdir \"$folder\"" EXIT
  try "a file system in memory" mount -t tmpfs tmpfs "$folder"
  mkdir "$folder/upper" "$folder/work" "$folder/merged"
  try "an overlay file system" mount -t overlay overlay \
    -o "lowerdir=/etc,upperdir=$folder/upper,workdir=$folder/work" "$folder/merged"
  umount "$folder/merged"
  try "a bridge" ip link add bridge0 type bridge
  try "a pair of interfaces" ip link add one type veth peer name other
  try "address translation" iptables-nft -t nat -A POSTROUTING -s 10.244.0.0/24 -j MASQUERADE
  try "control groups of version 1, as the kubelet is set up for" grep -q " /sys/fs/cgroup/memory cgroup " /proc/mounts
  group=/sys/fs/cgroup/memory/hubrelay-why-not-$$
  try "a control group" mkdir "$group"
  rmdir "$group"'
