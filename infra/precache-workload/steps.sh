# The steps of a run.
# shellcheck shell=bash

bring_images() {
  local required release threshold
  prepare_node
  required=$(content spaceRequired | first_line)
  release=$(content platform.image | first_line)
  content operators.indexes >"$work/indexes"
  content operators.packagesAndChannels >"$work/packages"
  content excludePrecachePatterns >"$work/patterns"
  content additionalImages >"$work/additional"

  # Report invalid input before anything is pulled.
  check_number spaceRequired "$required"
  check_patterns "$work/patterns"
  check_packages "$work/packages"
  check_digests "$work/additional"

  threshold=$(image_gc_threshold)
  [ "$(room_kib "$threshold")" -gt 0 ] || fail NoSpace "" "$(space_text "$threshold" "$required")"

  : >"$work/wanted"
  [ -z "$release" ] || release_images "$release" "$work/patterns" >>"$work/wanted"
  if [ -s "$work/indexes" ]; then
    operator_images "$work/indexes" "$work/packages" >>"$work/wanted"
  fi
  cat "$work/additional" >>"$work/wanted"
  without_repeats "$work/wanted" >"$work/images"

  measure "$work/images"
  check_space "$threshold" "$required"
  pull_all "$work/images"
  verify_all "$work/images"
  [ "$(room_kib "$threshold")" -gt 0 ] ||
    fail SpaceAboveThreshold "" "every image is on the node, but the kubelet will remove some: $(space_text "$threshold" 0)"
  succeed
}
