# The images of operators, as catalogs list them.
# shellcheck shell=bash

# check_packages FILE: every line is `package:channel`.
check_packages() {
  local line
  while IFS= read -r line; do
    [[ $line =~ ^[^:[:space:]]+[[:space:]]*:[[:space:]]*[^:[:space:]]+$ ]] ||
      fail InvalidConfiguration "" "operatorsPackagesAndChannels: \"$line\" is not package:channel"
  done <"$1"
}

# Finds the head of every wanted channel, the one entry that no other replaces or skips, and the images of its bundle and of
# pinned versions. shared/domain/ready/operator-images.ts chooses the same head: the last of several, the last entry without any.
# Input: the catalog's objects, one after the other; those of other packages are skipped, which saves memory.
# Output: `image NAME` lines, and `wanted PACKAGE CHANNEL` for each channel found.
read -r -d '' heads <<'JQ' || true
def pairs: [split("\n")[] | select(. != "") | split(":") | map(gsub("^\\s+|\\s+$"; ""))];
($wanted | pairs) as $pairs | ($pinned | pairs) as $versions
| [inputs | select(type == "object" and (.package as $name | any($pairs[]; .[0] == $name)))] as $objects
| $pairs[] as [$package, $channel]
| [$objects[] | select(.schema == "olm.channel" and .package == $package and .name == $channel) | .entries[]?] as $entries
| select($entries | length > 0)
| "wanted \($package):\($channel)",
  ([$entries[] | .replaces // empty, .skips[]?] as $behind
   | ([$entries[] | select(.name as $name | $behind | index($name) | not)] | last // $entries[-1]).name as $head
   | $objects[] | select(.schema == "olm.bundle" and .package == $package)
   | select(.name as $name | $name == $head or any($versions[]; . == [$package, $name]))
   | .relatedImages[]?.image, .image | select(. != null and . != "") | "image \(tostring | gsub("\n"; "\\n"))")
JQ

# read_catalog INDEX MOUNT PACKAGES: writes the heads of the wanted channels to the work folder. False when the catalog cannot
# be read, which is put off.
read_catalog() {
  local index=$1 mount=$2 packages=$3 catalog
  [ -f "$opm" ] ||
    put_off ToolMissing "$index" "the image of the workload has no opm, which reads catalogs" || return
  catalog=$(catalog_path "$index" "$mount")
  copy_catalog "$host$mount" "$catalog" ||
    put_off CatalogUnreadable "$index" "the image has no catalog at $catalog" || return
  render_catalog >"$work/catalog" 2>"$work/complaint" ||
    put_off CatalogUnreadable "$index" "opm render $catalog: $(tail -n 3 "$work/complaint" | tr '\n' ' ')" || return
  on_node jq -n -r --arg wanted "$(cat "$packages")" --arg pinned "$(cat "$work/pinned")" "$heads" <"$work/catalog" >"$work/heads" 2>"$work/complaint" ||
    put_off CatalogUnreadable "$index" "$(tr '\n' ' ' <"$work/complaint")"
}

# index_images INDEX PACKAGES: the index image, and the images of the head of every wanted channel in it.
index_images() {
  local index=$1 packages=$2 mount is_read complaint
  pull_now "$index" CatalogUnreadable || return
  mount=$(mounted "$index") || put_off CatalogUnreadable "$index" "the image cannot be mounted" || return
  read_catalog "$index" "$mount" "$packages"
  is_read=$?
  unmount "$index"
  [ "$is_read" -eq 0 ] || return
  sed -n 's/^image //p' "$work/heads" >"$work/names"
  complaint=$(are_names "$work/names" "the catalog") ||
    put_off CatalogUnreadable "$index" "$complaint" || return
  echo "$index"
  cat "$work/names"
  sed -n 's/^wanted //p' "$work/heads" >>"$work/found"
}

# operator_images INDEXES PACKAGES: the images of every index that can be read. Packages and channels that none of them has
# are written to the work folder.
operator_images() {
  local indexes=$1 packages=$2 index line
  : >"$work/found"
  while IFS= read -r index; do index_images "$index" "$packages"; done <"$indexes"
  while IFS= read -r line; do
    grep -qxF -e "${line//[[:space:]]/}" "$work/found" || echo "$line" >>"$work/not-found"
  done <"$packages"
}
