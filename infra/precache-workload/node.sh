# The node's programs, run in its file system, and the work files of the steps.
# shellcheck shell=bash

work=$host$node_work
work=${work#/}
work=/$work

on_node() { if [ "$host" = / ]; then "$@"; else chroot "$host" "$@"; fi; }

# has_tool NAME: does not start the tool, which would take longer than the step itself.
has_tool() { on_node sh -c "command -v $1" >/dev/null 2>&1; }

# Only parts of the node are mounted below the host folder: creates what else programs need.
prepare_node() {
  local tool complaint
  if [ "$host" != / ]; then
    mkdir -p "$host"/{dev/shm,proc,sys/fs/cgroup} && mkdir -p -m 1777 "$host/tmp"
    [ -e "$host/dev/null" ] || mknod -m 666 "$host/dev/null" c 1 3
    [ -e "$host/dev/urandom" ] || mknod -m 666 "$host/dev/urandom" c 1 9
    # Those of the container: the workload does not need the node's processes.
    mountpoint -q "$host/proc" || mount -t proc proc "$host/proc"
    mountpoint -q "$host/sys/fs/cgroup" || mount --rbind /sys/fs/cgroup "$host/sys/fs/cgroup"
    mountpoint -q "$host/dev/shm" || mount -t tmpfs -o mode=1777 tmpfs "$host/dev/shm"
    for tool in bin lib lib64; do [ -e "$host/$tool" ] || ln -s "usr/$tool" "$host/$tool"; done
  fi
  rm -rf "$work"
  complaint=$(mkdir -p "$work"/{done,failed,complaints,layers,incoming} 2>&1) ||
    fail PullFailed "" "the work folder $node_work cannot be written: $complaint"
  for tool in podman jq; do
    has_tool "$tool" || fail ToolMissing "" "the node has no $tool"
  done
}

clear_node() { rm -rf "$work"; }

# content KEY: the entries of an input list, trimmed, without empty lines, each with a newline.
content() {
  [ -e "$contents/$1" ] || return 0
  sed -E -e 's/^[[:space:]]+//; s/[[:space:]]+$//; /^$/d' -e '$a\' -- "$contents/$1"
}

# first_line reads all of its input: a program that writes to a closed pipe fails.
first_line() { sed -n 1p; }

without_repeats() { awk '!seen[$0]++' "$1"; }

# read_credentials: sets `credentials` to the options of podman and skopeo for the node's pull secret, if it has one.
read_credentials() { if [ -e "$host$pull_secret" ]; then credentials=("--authfile=$pull_secret"); else credentials=(); fi; }

# node_podman ARGUMENTS: the node's podman. At its start, podman with netavark creates the folder of its network
# configuration, /etc/containers/networks, which is read-only for the Job; so that folder is moved to the work folder. With
# an option, since CONTAINERS_CONF hides the node's containers.conf, and podman 4.3 ignores CONTAINERS_CONF_OVERRIDE.
node_podman() { on_node podman "--network-config-dir=$node_work/networks" "$@"; }

# podman_pull IMAGE FOLDER: pulls, with errors on standard error. Partial layers are in FOLDER of the work folder; a pull
# that is killed leaves them there.
podman_pull() {
  local credentials
  read_credentials
  TMPDIR=$node_work/$2 node_podman pull --quiet "${credentials[@]}" -- "$1" >/dev/null
}

# The images in the node's storage, by name, and the folder of each: see read_storage.
declare -A stored=()

# read_storage: records every image whose layers are in the index of the storage. Reads it once for hundreds of images,
# instead of starting podman for each.
read_storage() {
  local images layers name folder
  stored=()
  for images in "$host$storage"/storage/*-images; do
    layers=${images%-images}-layers/layers.json
    [ -e "$images/images.json" ] && [ -e "$layers" ] || continue
    while read -r name folder; do stored[$name]=$images/$folder; done < <(
      on_node jq -r --slurpfile layers "${layers#"$host"}" '(reduce $layers[0][].id as $id ({}; .[$id] = true)) as $there
        | .[] | select($there[.layer // ""]) | .id as $id | .names[]? | "\(.) \($id)"' <"$images/images.json" 2>/dev/null
    )
  done
}

# is_stored IMAGE: whether read_storage has found it; podman may still know it under another name.
is_stored() { [ -n "${stored[$1]:-}" ]; }

# stored_name IMAGE: sets REPLY to the name of an image by digest in the storage: without a tag, Docker's images with their
# full name.
stored_name() {
  local name=${1%@*} digest=${1##*@}
  [[ $name =~ ^(.+):[^/]+$ ]] && name=${BASH_REMATCH[1]}
  [[ $name =~ ^docker\.io/([^/]+)$ ]] && name=docker.io/library/${BASH_REMATCH[1]}
  REPLY=$name@$digest
}

# is_on_node IMAGE: whether podman has it under its name. For a digest, podman accepts any image with it, even one that a
# kill has left without its name: CRI-O does not find that image, and the kubelet removes it first.
is_on_node() {
  local names
  node_podman image exists -- "$1" || return 1
  [[ $1 =~ ^[^/]*[.:][^/]*/.+@ ]] || return 0
  names=$(node_podman image inspect --format '{{range .RepoDigests}}{{println .}}{{end}}' -- "$1")
  stored_name "$1"
  [[ $'\n'$names$'\n' == *$'\n'"$REPLY"$'\n'* ]]
}

# end_helper PID: kills a background subshell and then its children; otherwise it would report that its command was
# killed.
end_helper() {
  local below
  mapfile -t below < <(pgrep -P "$1")
  kill -KILL "$1" "${below[@]}"
  wait "$1"
} 2>/dev/null
