# Where things are and how hard to try; each can be set in the container's environment.
# shellcheck shell=bash disable=SC2034

# The node's file system as this container sees it; "/" runs its programs as they are.
host=${HOST_FOLDER:-/host}
contents=${CONFIG_VOLUME_PATH:-/etc/config}
termination_log=${TERMINATION_LOG:-/dev/termination-log}
account=${SERVICE_ACCOUNT_FOLDER:-/var/run/secrets/kubernetes.io/serviceaccount}
api=${API_SERVER:-https://kubernetes.default.svc}
namespace=${POD_NAMESPACE:-}
progress_configmap=${PROGRESS_CONFIGMAP:-}

# As the node names them.
pull_secret=${PULL_SECRET:-/var/lib/kubelet/config.json}
kubelet_configuration=${KUBELET_CONFIGURATION:-/etc/kubernetes/kubelet.conf}
storage=${STORAGE_FOLDER:-/var/lib/containers}
# Lies in the pod's own volume, which the kubelet removes with the pod however that ends. Layers on their way are here.
node_work=${WORK_FOLDER:-/tmp/hubrelay-precache}

# At most this many images at the same time; a hint of the link's speed in Mbit/s lowers it on thin links.
parallel=${PULL_PARALLEL:-10}
bandwidth=${PULL_BANDWIDTH_MBITS:-0}
# How often an image is tried, the first pause in seconds (it doubles, up to a minute), and how long a pull may
# neither read nor write a byte.
attempts=${PULL_ATTEMPTS:-6}
first_pause=${PULL_FIRST_PAUSE:-2}
stall=${PULL_STALL_SECONDS:-300}
# Seconds between two checks of whether there is progress to report.
progress_pause=${PROGRESS_PAUSE:-15}
# How much memory in KiB, and how many seconds, `grep` may take for a pattern of images to leave out.
grep_kib=${GREP_KIB:-524288}
grep_seconds=${GREP_SECONDS:-60}
