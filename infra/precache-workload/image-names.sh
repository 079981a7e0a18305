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

# check_names FILE REASON IMAGE SOURCE: every line is the name of an image; otherwise the run ends with the reason.
check_names() {
  local name
  while IFS= read -r name; do
    is_image_name "$name" || fail "$2" "$3" "$4: \"${name:0:200}\" is not an image name"
  done <"$1"
}
