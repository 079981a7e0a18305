# The format of image names. podman reads other texts as options, files or folders: `--authfile=…`, `dir:/var/lib`.
# shellcheck shell=bash

# is_image_name TEXT: whether it is `[host[:port]/]path[:tag][@digest]`, and not the start of a transport of podman's.
is_image_name() {
  local LC_ALL=C label='[A-Za-z0-9]+(-+[A-Za-z0-9]+)*' part='[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*'
  local transport='^(atomic|containers-storage|dir|docker|docker-archive|docker-daemon|oci|oci-archive|ostree|sif|tarball):'
  local registry="(($label(\\.$label)*|\\[[0-9A-Fa-f:]+\\])(:[0-9]+)?/)?" tag='(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?'
  local digest='(@sha(256:[0-9a-f]{64}|384:[0-9a-f]{96}|512:[0-9a-f]{128}))?'
  [ "${#1}" -le 512 ] && [[ ! $1 =~ $transport && $1 =~ ^$registry$part(/$part)*$tag$digest$ ]]
}

# are_names FILE SOURCE: whether every line is the name of an image; otherwise prints the first that is not one.
are_names() {
  local name
  while IFS= read -r name; do
    is_image_name "$name" || { echo "$2: \"${name:0:200}\" is not an image name" && return 1; }
  done <"$1"
}

# check_names FILE SOURCE: ends the run if a line of the request is not the name of an image.
check_names() {
  local complaint
  complaint=$(are_names "$1" "$2") || fail InvalidConfiguration "" "$complaint"
}
