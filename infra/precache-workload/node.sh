# The node's own programs, run in its own file system, and the small files that the steps hand to each other.
# shellcheck shell=bash

work=$host$node_work
work=${work#/}
work=/$work

on_node() { if [ "$host" = / ]; then "$@"; else chroot "$host" "$@"; fi; }

# has_tool NAME: without starting it, for that takes a large program longer than what the step does with it.
has_tool() { on_node sh -c "command -v $1" >/dev/null 2>&1; }

# Only parts of the node are mounted below the host folder: what programs need besides is made here.
prepare_node() {
  local tool
  if [ "$host" != / ]; then
    mkdir -p "$host"/{dev/shm,proc,sys/fs/cgroup} && mkdir -p -m 1777 "$host/tmp"
    [ -e "$host/dev/null" ] || mknod -m 666 "$host/dev/null" c 1 3
    [ -e "$host/dev/urandom" ] || mknod -m 666 "$host/dev/urandom" c 1 9
    # The container's own, not the node's: its processes are nobody's business here.
    mountpoint -q "$host/proc" || mount -t proc proc "$host/proc"
    mountpoint -q "$host/sys/fs/cgroup" || mount --rbind /sys/fs/cgroup "$host/sys/fs/cgroup"
    mountpoint -q "$host/dev/shm" || mount -t tmpfs -o mode=1777 tmpfs "$host/dev/shm"
    for tool in bin lib lib64; do [ -e "$host/$tool" ] || ln -s "usr/$tool" "$host/$tool"; done
  fi
  rm -rf "$work"
  mkdir -p "$work"/{done,failed,complaints,layers,incoming}
  for tool in podman jq; do
    has_tool "$tool" || fail ToolMissing "" "the node has no $tool"
  done
}

clear_node() { rm -rf "$work"; }

# content KEY: the entries of a list that was given, without outer blanks and empty lines, each ended by a newline.
content() {
  [ -e "$contents/$1" ] || return 0
  { cat "$contents/$1"; echo; } | sed -E 's/^[[:space:]]+//; s/[[:space:]]+$//; /^$/d'
}

first_line() { head -n 1; }

without_repeats() { awk '!seen[$0]++' "$1"; }

credentials() { if [ -e "$host$pull_secret" ]; then printf -- '--authfile=%s\n' "$pull_secret"; fi; }

# node_podman WORDS: the node's own podman. Before it does anything podman with netavark makes the folder of its network
# configuration, /etc/containers/networks, which the Job can only read; so that folder is moved into the work folder. By
# an option, for CONTAINERS_CONF hides the node's own containers.conf, and podman 4.3 ignores CONTAINERS_CONF_OVERRIDE.
node_podman() { on_node podman "--network-config-dir=$node_work/networks" "$@"; }

# podman_pull IMAGE FOLDER: its complaints on standard error, the pull alone. Layers on their way lie in the folder of
# the work folder; a pull that is killed leaves them there.
podman_pull() {
  local options=()
  mapfile -t options < <(credentials)
  TMPDIR=$node_work/$2 node_podman pull --quiet "${options[@]}" "$1" >/dev/null
}

# The images in the node's storage, by name, and the folder of each: see `look_into_storage`.
declare -A stored=()

# look_into_storage: notes every image whose layers are there, as the storage's own index has it. One reading serves
# hundreds of images, where podman would be started for each.
look_into_storage() {
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

# is_stored IMAGE: whether that look has found it; under another name podman may still know it.
is_stored() { [ -n "${stored[$1]:-}" ]; }

# stored_name IMAGE: an image by digest as the storage names it: without a tag, Docker's own images in full.
stored_name() {
  local name=${1%@*} digest=${1##*@}
  [[ $name =~ ^(.+):[^/]+$ ]] && name=${BASH_REMATCH[1]}
  [[ $name =~ ^docker\.io/([^/]+)$ ]] && name=docker.io/library/${BASH_REMATCH[1]}
  printf '%s@%s\n' "$name" "$digest"
}

# is_on_node IMAGE: whether podman has it under its name. Of a digest podman takes any image that has it, also one that
# a kill has left without its name: CRI-O does not find that one, and the kubelet removes it first.
is_on_node() {
  node_podman image exists "$1" || return 1
  [[ $1 =~ ^[^/]*[.:][^/]*/.+@ ]] || return 0
  node_podman image inspect --format '{{range .RepoDigests}}{{println .}}{{end}}' "$1" | grep -qxF -e "$(stored_name "$1")"
}

# end_helper PID: a subshell that only looks on, and what it has started. It is killed first, for it would tell that its
# own command was killed.
end_helper() {
  local below
  mapfile -t below < <(pgrep -P "$1")
  kill -KILL "$1" "${below[@]}"
  wait "$1"
} 2>/dev/null
