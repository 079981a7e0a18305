# The size of the images, and how much of it the node already has. Counts layers, which images share.
# shellcheck shell=bash disable=SC2034

bytes_total=0
bytes_missing=0
bytes_present=0

architecture() { case $(uname -m) in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) uname -m ;; esac; }

manifest() {
  local credentials
  read_credentials
  on_node skopeo inspect --raw "${credentials[@]}" -- "docker://$1" 2>/dev/null
}

# Selects what a registry may claim: digests of sha256, and layers below 1 TiB.
digests='strings | select(test("\\Asha256:[0-9a-f]{64}\\z"))'
layers=".layers[]? | objects | select(.size | numbers | . >= 0 and . < 1099511627776) | \"\(.digest | $digests) \(.size | floor)\""

# layers_of IMAGE: `digest size` of each layer, with the transferred (compressed) size. Empty if the registry does not
# provide it.
layers_of() {
  local image=$1 found child
  found=$(manifest "$image") || return 0
  child=$(on_node jq -r --arg architecture "$(architecture)" \
    "first(.manifests[]? | objects | select(.platform.architecture? == \$architecture) | .digest | $digests)" <<<"$found")
  if [ -n "$child" ]; then found=$(manifest "${image%@*}@$child") || return 0; fi
  on_node jq -r "$layers" <<<"$found"
}

# layers_of_stored IMAGES: writes the same to the file of each image's number, for all images on the node at once,
# without queries to registries.
layers_of_stored() {
  local image number=0 manifests=()
  local -A numbers=()
  while IFS= read -r image; do
    number=$((number + 1))
    is_stored "$image" && [ -e "${stored[$image]}/manifest" ] && [ ! -s "$work/layers/$number" ] || continue
    manifests+=("${stored[$image]#"$host"}/manifest")
    numbers[${manifests[-1]}]=$number
  done <"$1"
  [ "${#manifests[@]}" -gt 0 ] || return 0
  on_node jq -r "input_filename as \$file | $layers | \"\\(\$file) \\(.)\"" "${manifests[@]}" |
    while read -r image layer; do echo "$layer" >>"$work/layers/${numbers[$image]}"; done
}

# present_layers: `digest size` of each layer on the node, with the size on disk.
present_layers() {
  local index
  for index in "$host$storage"/storage/*-layers/layers.json; do
    [ -e "$index" ] || continue
    on_node jq -r '.[] | select(.["compressed-diff-digest"]) | "\(.["compressed-diff-digest"]) \(.["diff-size"] // 0)"' <"$index"
  done | sort -u
}

# measure IMAGES: sets bytes_total (the transfer on an empty node), bytes_missing and bytes_present (on disk).
# Counts nothing without skopeo, nor images whose registry does not respond; the pulls report why.
measure() {
  local image number=0 most
  most=$(pulls_at_once)
  read_storage
  layers_of_stored "$1"
  if has_tool skopeo; then
    while IFS= read -r image; do
      number=$((number + 1))
      [ ! -e "$work/layers/$number" ] || continue
      layers_of "$image" >"$work/layers/$number" &
      [ "$((number % most))" -ne 0 ] || wait
    done <"$1"
    wait
  fi
  find "$work/layers" -type f -exec cat {} + | sort -u >"$work/planned"
  present_layers >"$work/present"
  read -r bytes_total bytes_missing bytes_present < <(awk '
    FILENAME == ARGV[1] { size[$1] = $2; next }
    seen[$1]++ { next }
    { total += $2; if ($1 in size) present += size[$1]; else missing += $2 }
    END { printf "%d %d %d\n", total, missing, present }' "$work/present" "$work/planned")
}
