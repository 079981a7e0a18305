# Paths and limits; each can be set in the container's environment.
# shellcheck shell=bash disable=SC2034

# The node's file system as this container sees it; "/" runs its programs as they are.
host=${HOST_FOLDER:-/host}
contents=${CONFIG_VOLUME_PATH:-/etc/config}
termination_log=${TERMINATION_LOG:-/dev/termination-log}
account=${SERVICE_ACCOUNT_FOLDER:-/var/run/secrets/kubernetes.io/serviceaccount}
api=${API_SERVER:-https://kubernetes.default.svc}
namespace=${POD_NAMESPACE:-}
progress_configmap=${PROGRESS_CONFIGMAP:-}

# Set by check.sh: nothing is pulled.
check_only=${CHECK_ONLY:-false}

# Paths on the node.
pull_secret=${PULL_SECRET:-/var/lib/kubelet/config.json}
kubelet_configuration=${KUBELET_CONFIGURATION:-/etc/kubernetes/kubelet.conf}
os_release=${OS_RELEASE:-/usr/lib/os-release}
storage=${STORAGE_FOLDER:-/var/lib/containers}
# In the pod's own volume, which the kubelet removes with the pod. Holds partial layers.
node_work=${WORK_FOLDER:-/tmp/hubrelay-precache}

# Concurrent pulls; the speed of the link in Mbit/s lowers the number on thin links.
parallel=${PULL_PARALLEL:-10}
bandwidth=${PULL_BANDWIDTH_MBITS:-0}
# Attempts per image, the first pause in seconds (it doubles, up to a minute), and the seconds after which a pull without
# progress is ended.
attempts=${PULL_ATTEMPTS:-6}
first_pause=${PULL_FIRST_PAUSE:-2}
stall=${PULL_STALL_SECONDS:-300}
# Seconds between two checks of whether there is progress to report.
progress_pause=${PROGRESS_PAUSE:-15}
# Memory in KiB, and seconds, that `grep` may take for a pattern of images to leave out.
grep_kib=${GREP_KIB:-524288}
grep_seconds=${GREP_SECONDS:-60}

# The numbers among them.
declare -A number_settings=(
  [parallel]=PULL_PARALLEL [bandwidth]=PULL_BANDWIDTH_MBITS [attempts]=PULL_ATTEMPTS [first_pause]=PULL_FIRST_PAUSE
  [stall]=PULL_STALL_SECONDS [progress_pause]=PROGRESS_PAUSE [grep_kib]=GREP_KIB [grep_seconds]=GREP_SECONDS
)

# check_number VARIABLE NAME [UNIT]: makes the variable a decimal number; shell arithmetic reads 08 as an invalid octal one,
# and other texts as programs.
check_number() {
  local -n number=$1
  [[ $number =~ ^0*[0-9]{1,10}$ ]] ||
    fail InvalidConfiguration "" "$2: \"$number\" is not a whole number${3:+ of $3} below 10000000000"
  number=$((10#$number))
}

check_settings() {
  local variable
  for variable in "${!number_settings[@]}"; do check_number "$variable" "${number_settings[$variable]}"; done
}
