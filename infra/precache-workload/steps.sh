# The steps of a run.
# shellcheck shell=bash

# read_request: puts the input into the work folder. Invalid input ends the run before anything is pulled.
read_request() {
  required=$(content spaceRequired | first_line)
  required=${required:-0}
  { content platform.image | first_line >"$work/release" &&
    content operators.indexes >"$work/indexes" &&
    content operators.packagesAndChannels >"$work/packages" &&
    content excludePrecachePatterns >"$work/patterns" &&
    content additionalImages >"$work/additional"; } ||
    fail PullFailed "" "the work folder $node_work cannot be written"

  check_settings
  check_number required spaceRequired GiB
  check_patterns "$work/patterns"
  check_packages "$work/packages"
  check_names "$work/release" InvalidConfiguration "" platformImage
  check_names "$work/indexes" InvalidConfiguration "" operatorsIndexes
  check_digests "$work/additional"
}

# list_images: puts the names of all images of the request into the work folder, each once.
list_images() {
  : >"$work/wanted"
  [ ! -s "$work/release" ] || release_images "$(<"$work/release")" "$work/patterns" >>"$work/wanted"
  if [ -s "$work/indexes" ]; then
    operator_images "$work/indexes" "$work/packages" >>"$work/wanted"
  fi
  { cat "$work/additional" >>"$work/wanted" && without_repeats "$work/wanted" >"$work/images"; } ||
    fail PullFailed "" "the work folder $node_work cannot be written"
}

bring_images() {
  local required threshold room
  prepare_node
  read_request
  threshold=$(image_gc_threshold)
  room=$(room_kib "$threshold")
  [ -n "$room" ] || fail PullFailed "" "the free space of $storage cannot be read"
  [ "$room" -gt 0 ] || fail NoSpace "" "$(space_text "$threshold" "$required")"

  list_images
  measure "$work/images"
  check_space "$threshold" "$required"
  pull_all "$work/images"
  verify_all "$work/images"
  [ "$(room_kib "$threshold")" -gt 0 ] ||
    fail SpaceAboveThreshold "" "every image is on the node, but the kubelet will remove some: $(space_text "$threshold" 0)"
  succeed
}

# check_images: which images of the request are on the node.
check_images() {
  local required
  prepare_node
  read_request
  : >"$work/unlisted"
  : >"$work/missing"
  list_images
  find_all "$work/images"
  succeed_check
}
