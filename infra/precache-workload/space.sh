# Space on the node's image storage, as the kubelet counts it.
# shellcheck shell=bash

kib_per_gib=1048576

# image_gc_threshold: the percentage of the file system above which the kubelet removes images, from the node's
# kubelet.conf (YAML or JSON); 85, the kubelet's default, if that has none from 1 to 99.
image_gc_threshold() {
  local percent
  percent=$(sed -n -E "s/^([^#]*[{,[:space:]])?[\"']?imageGCHighThresholdPercent[\"']?[[:space:]]*:[[:space:]]*([0-9]+).*$/\2/p" \
    "$host$kubelet_configuration" 2>/dev/null)
  percent=${percent##*$'\n'}
  if [[ $percent =~ ^[0-9]{1,2}$ ]] && [ "$percent" -ge 1 ]; then echo "$percent"; else echo 85; fi
}

# room_kib THRESHOLD: free KiB below the threshold; negative above it.
room_kib() {
  df --block-size=1K --output=size,used "$host$storage" |
    awk -v threshold="$1" 'NR == 2 { printf "%d\n", threshold / 100 * $1 - $2 }'
}

# space_text THRESHOLD GIB: the figures as text.
space_text() {
  df --block-size=1K --output=size,used "$host$storage" | awk -v threshold="$1" -v required="$2" 'NR == 2 {
    gib = 1048576
    printf "%.1f of %.1f GiB are used and the kubelet removes images above %d %%: %.1f GiB are left, %s GiB are required",
      $2 / gib, $1 / gib, threshold, (threshold / 100 * $1 - $2) / gib, required
  }'
}

# check_space THRESHOLD GIB: the required space, less what is already on the node, must be free; so must the bytes that
# are known to be missing.
check_space() {
  local threshold=$1 required=$2 room missing
  room=$(room_kib "$threshold")
  missing=$((bytes_missing / 1024))
  say "space: $(space_text "$threshold" "$required"); $((bytes_present / 1024 / 1024)) MiB of it are on the node"
  if [ "$room" -lt "$((required * kib_per_gib - bytes_present / 1024))" ] || [ "$room" -lt "$missing" ]; then
    fail NoSpace "" "$(space_text "$threshold" "$required"), $((bytes_present / 1024 / 1024)) MiB of them are on the node"
  fi
}
