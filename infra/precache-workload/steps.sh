# The steps of a run.
# shellcheck shell=bash

# read_request: puts the input into the work folder. Invalid input ends the run before anything is pulled.
read_request() {
  required=$(content spaceRequired)
  required=${required%%$'\n'*}
  required=${required:-0}
  { content platform.image | first_line >"$work/release" &&
    content operators.indexes >"$work/indexes" &&
    content operators.packagesAndChannels >"$work/packages" &&
    content operators.startingCSVs >"$work/pinned" &&
    content excludePrecachePatterns >"$work/patterns" &&
    content additionalImages >"$work/additional"; } ||
    fail PullFailed "" "the work folder $node_work cannot be written"

  check_settings
  check_number required spaceRequired GiB
  check_patterns "$work/patterns"
  check_packages "$work/packages"
  check_names "$work/release" platformImage
  check_names "$work/indexes" operatorsIndexes
  check_digests "$work/additional"
  [ ! -s "$work/indexes" ] || [ -s "$work/packages" ] ||
    fail InvalidConfiguration "" "operatorsIndexes without operatorsPackagesAndChannels"
}

# add_images COMMAND…: appends the names that the command prints to the images of the request, each once.
add_images() {
  { "$@" >>"$work/wanted" && without_repeats "$work/wanted" >"$work/images"; } ||
    fail PullFailed "" "the work folder $node_work cannot be written"
}

list_release() { [ ! -s "$work/release" ] || release_images "$(<"$work/release")" "$work/patterns" || true; }

list_others() {
  [ ! -s "$work/indexes" ] || operator_images "$work/indexes" "$work/packages"
  cat "$work/additional"
}

# bring_listed: pulls the images that are listed so far. Without those of catalogs, the bytes are not the total.
bring_listed() {
  measure "$work/images"
  # Nothing is to be pulled when the nodes have the release in a registry of their own.
  [ ! -s "$work/images" ] || check_space "$threshold" "$required"
  [ "$is_whole" = true ] || bytes_total=0
  pull_all "$work/images"
}

bring_images() {
  local required threshold room is_whole=true
  prepare_node
  read_request
  threshold=$(image_gc_threshold)
  room=$(room_kib "$threshold")
  [ -n "$room" ] || fail PullFailed "" "the free space of $storage cannot be read"
  [ "$room" -gt 0 ] || fail NoSpace "" "$(space_text "$threshold" "$required")"

  add_images list_release
  release_count=$(wc -l <"$work/images")
  # Catalogs take long to read, or cannot be read: what the cluster needs most is pulled before.
  [ "$release_count" -eq 0 ] || [ ! -s "$work/indexes" ] || is_whole=false bring_listed
  add_images list_others
  bring_listed
  fail_as_pulled "$work/images"
  verify_all "$work/images"
  [ "$(room_kib "$threshold")" -gt 0 ] ||
    fail SpaceAboveThreshold "" "every image is on the node, but the kubelet will remove some: $(space_text "$threshold" 0)"
  fail_as_put_off "everything else is on the node"
  succeed
}

# check_images: which images of the request are on the node.
check_images() {
  local required
  prepare_node
  read_request
  : >"$work/unlisted"
  : >"$work/missing"
  add_images list_release
  add_images list_others
  find_all "$work/images"
  fail_as_put_off
  succeed_check
}
