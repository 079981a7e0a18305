# The images of an OpenShift release, as its payload lists them.
# shellcheck shell=bash

# bounded_grep ARGUMENTS: `grep -G` with limits of memory and time: a pattern as short as x\{1,32767\} takes 8 GB. A
# status above 1 is an error, with its reason in the complaint file.
bounded_grep() {
  local status
  (ulimit -v "$grep_kib" && exec timeout --foreground --kill-after=5 "$grep_seconds" grep -G "$@") 2>"$work/complaint"
  status=$?
  if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
    echo "grep takes more than $grep_seconds s for it" >"$work/complaint"
  elif grep -q -i 'memory exhausted' "$work/complaint"; then
    echo "grep takes more than $((grep_kib / 1024)) MiB of memory for it" >"$work/complaint"
  fi
  return "$status"
}

# check_patterns FILE: every pattern is a basic regular expression that grep can read.
check_patterns() {
  local pattern
  while IFS= read -r pattern; do
    bounded_grep -q -e "$pattern" </dev/null
    [ "$?" -le 1 ] ||
      fail InvalidConfiguration "" "excludePrecachePatterns: \"${pattern:0:200}\": $(tr '\n' ' ' <"$work/complaint")"
  done <"$1"
}

# leave_out PATTERNS: removes the images that a pattern matches from the payload.
leave_out() {
  bounded_grep -v -f "$1" "$work/payload" >"$work/left"
  case $? in
  0) mv "$work/left" "$work/payload" ;;
  1) fail InvalidConfiguration "" "excludePrecachePatterns leave no image of the release" ;;
  *) fail InvalidConfiguration "" "excludePrecachePatterns: $(tr '\n' ' ' <"$work/complaint")" ;;
  esac
}

# leave_out_stream: removes the OS images that the node does not boot. Releases from 4.21 on have those of two streams; which
# tag belongs to which stream is in the machine-config-operator's install/image-references.
leave_out_stream() {
  local stream other
  grep -q '^"rhel-coreos\$' "$work/payload" && grep -q '^"rhel-coreos-10\$' "$work/payload" || return 0
  stream=$(os_stream)
  case $stream in
  rhel-9) other=rhel-coreos-10 ;;
  rhel-10) other=rhel-coreos ;;
  *)
    note "OS stream ${stream:-unknown, changing or not the same on all nodes}: the images of both streams are among them"
    return
    ;;
  esac
  note "OS stream $stream: without $other"
  sed -i -E "/^\"$other(-extensions)?\\$/d" "$work/payload"
}

# check_digests FILE: a tag may later name another image, and digest mirrors do not serve tags.
check_digests() {
  local image
  while IFS= read -r image; do
    is_image_name "$image" && [[ $image =~ ^[^@]+/[^@]+@sha256: ]] ||
      fail InvalidConfiguration "$image" "additionalImages: give registry, repository and digest"
  done <"$1"
}

# mounted IMAGE: the path of the image's files on the node.
mounted() { node_podman image mount -- "$1"; }
unmount() { node_podman image unmount -- "$1" >/dev/null; }

# read_payload RELEASE MOUNT: writes `"tag$pullspec"` of every image of the payload to the work folder. False when they cannot
# be read, which is put off.
read_payload() {
  local references=$host$2/release-manifests/image-references
  # A link in the image is a path of this container.
  [ -f "$references" ] && [ "$(realpath "$references")" = "$(realpath "$host$2")/release-manifests/image-references" ] ||
    put_off ReleaseUnreadable "$1" "the image has no file release-manifests/image-references" || return
  on_node jq -r '.spec.tags[] | select(.from.name) | "\"\(.name)$\(.from.name)\"" | gsub("\n"; "\\n")' \
    <"$references" >"$work/payload" 2>"$work/complaint" && [ -s "$work/payload" ] ||
    put_off ReleaseUnreadable "$1" "release-manifests/image-references: $(tr '\n' ' ' <"$work/complaint")"
}

# release_images RELEASE PATTERNS: the release image and every image of its payload, without those that a pattern
# matches, and without those of an OS stream that the node does not boot; none of a release that the nodes have. Patterns
# match `"tag$pullspec"` with its quotes, as in TALM's workload.
release_images() {
  local release=$1 patterns=$2 mount is_read complaint
  if has_release "$release"; then
    note "the registry on the nodes has the release (InternalReleaseImage): it is not pulled"
    return
  fi
  pull_now "$release" ReleaseUnreadable || return
  mount=$(mounted "$release") || put_off ReleaseUnreadable "$release" "the image cannot be mounted" || return
  read_payload "$release" "$mount"
  is_read=$?
  unmount "$release"
  [ "$is_read" -eq 0 ] || return
  leave_out_stream
  [ ! -s "$patterns" ] || leave_out "$patterns"
  sed -E 's/^"[^$]*\$(.*)"$/\1/' "$work/payload" >"$work/names"
  complaint=$(are_names "$work/names" release-manifests/image-references) ||
    put_off ReleaseUnreadable "$release" "$complaint" || return
  echo "$release"
  cat "$work/names"
}
