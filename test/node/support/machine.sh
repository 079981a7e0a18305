#!/usr/bin/env bash
# machine.sh FOLDER PROGRAMS: is the machine of a node: mounts, network, container runtime, control plane and kubelet.
# Runs in mount, network and process namespaces of its own, and prints "ready" once the node is registered. FOLDER has
# the files that real-node.ts writes, PROGRAMS lists the paths of the servers as NAME=PATH.
set -euo pipefail
folder=$1
address=10.244.0.1
# shellcheck disable=SC1090 # the paths of the servers
source "$2"
cd "$folder"

# The node's own view of the machine: what is written below outlives no namespace.
# Mounts of a pod with paths of the node reach it, as on one where systemd shares them.
mount --make-rshared /
mount -t tmpfs tmpfs /run
mkdir -p /run/netns /run/lock /run/containers /run/crio
# A kernel that knows the controller without having its hierarchy: CRI-O would set its limits.
if ! grep -q ' /sys/fs/cgroup/hugetlb ' /proc/mounts && [ ! -e /sys/fs/cgroup/cgroup.controllers ]; then
  grep -v ^hugetlb /proc/cgroups >cgroups
  mount --bind cgroups /proc/cgroups
fi
cp /etc/hosts hosts
# Folders of a node that the machine lacks can be created.
for name in etc var opt usr; do
  mkdir -p overlay/$name/{upper,work}
  mount -t overlay overlay -o "lowerdir=/$name,upperdir=$folder/overlay/$name/upper,workdir=$folder/overlay/$name/work" /$name
done
mount --bind hosts /etc/hosts
mkdir -p /etc/containers /etc/crio /etc/kubernetes /etc/pki/ca-trust /usr/share/containers /var/lib/containers \
  /var/lib/kubelet/device-plugins /var/lib/cni /var/log/containers /var/log/pods /opt/cni
mount --bind containers /etc/containers
# Not on the overlay, which cannot be the storage of another one.
for name in containers kubelet; do
  mkdir -p lib/$name
  mount --bind lib/$name /var/lib/$name
done
cp kubelet.conf /etc/kubernetes/kubelet.conf
echo '{"auths":{}}' >/var/lib/kubelet/config.json

ip link add cni0 type bridge
ip address add $address/24 dev cni0
ip link set cni0 up
# A bridge without a port is down.
ip link add port type veth peer name plug
ip link set port master cni0 up
ip link set plug up
ip route add default via 10.244.0.254 dev cni0
echo 1 >/proc/sys/net/ipv4/ip_forward
# In place of kube-proxy: the service of the API server.
for chain in PREROUTING OUTPUT; do
  iptables-nft -t nat -A $chain -d 10.0.0.1/32 -p tcp --dport 443 -j DNAT --to-destination $address:6443
done

# Pods reach other networks under the node's address.
iptables-nft -t nat -A POSTROUTING -s 10.244.0.0/24 ! -d 10.244.0.0/24 -j MASQUERADE

# cgroups v1: a root of its own in every hierarchy.
for hierarchy in /sys/fs/cgroup/*/; do
  grep -q " ${hierarchy%/} " /proc/mounts || continue
  mkdir -p "$hierarchy$(basename "$folder")"
  if [ -e "${hierarchy}cpuset.cpus" ]; then
    for file in cpus mems; do cat "${hierarchy}cpuset.$file" >"$hierarchy$(basename "$folder")/cpuset.$file"; done
  fi
done

# log NAME COMMAND…: runs a server in the background.
log() {
  local name=$1
  shift
  "$@" >>"log/$name.log" 2>&1 &
}

for image in pause workload; do
  skopeo --insecure-policy copy --quiet "oci:images/$image:image" "containers-storage:localhost/$image:1"
done
log names "$node" "$names" $address 10.0.0.1
log crio "$crio" --config "$folder/crio.conf" --config-dir ""
log etcd etcd --data-dir=etcd --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
  --listen-peer-urls=http://127.0.0.1:2380 --initial-advertise-peer-urls=http://127.0.0.1:2380 \
  --initial-cluster=default=http://127.0.0.1:2380 --unsafe-no-fsync --log-level=warn
log kube-apiserver "$kube_apiserver" --etcd-servers=http://127.0.0.1:2379 --bind-address=0.0.0.0 --advertise-address=$address \
  --secure-port=6443 --tls-cert-file=kube-apiserver.crt --tls-private-key-file=kube-apiserver.key --client-ca-file=authority.crt \
  --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=true \
  --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=accounts.key \
  --service-account-signing-key-file=accounts.key --service-cluster-ip-range=10.0.0.0/24 --endpoint-reconciler-type=none \
  --kubelet-client-certificate=kubelet-client.crt --kubelet-client-key=kubelet-client.key \
  --kubelet-certificate-authority=authority.crt --kubelet-preferred-address-types=InternalIP --profiling=false
export KUBECONFIG=$folder/admin.kubeconfig
# until_true COMMAND…: waits for at most a minute.
until_true() {
  local attempt
  for attempt in $(seq 600); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  echo "not within a minute: $*" >&2
  exit 1
}
until_true "$kubectl" get --raw /readyz
log kube-controller-manager "$kube_controller_manager" --kubeconfig=admin.kubeconfig --controllers='*' --leader-elect=false \
  --secure-port=0 --service-account-private-key-file=accounts.key --root-ca-file=authority.crt
log kube-scheduler "$kube_scheduler" --kubeconfig=admin.kubeconfig --leader-elect=false --secure-port=0
until_true test -S /run/crio/crio.sock
log kubelet "$kubelet" --config=kubelet.yaml --kubeconfig=node.kubeconfig --root-dir=/var/lib/kubelet \
  --hostname-override=node-1 --node-ip=$address
until_true "$kubectl" wait --for=condition=Ready node/node-1 --timeout=5s
until_true "$kubectl" get serviceaccount default
echo ready
exec sleep infinity
