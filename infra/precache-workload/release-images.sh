# The images of an OpenShift release, as its payload lists them.
# shellcheck shell=bash

# check_patterns FILE: every pattern is a basic regular expression that grep can read.
check_patterns() {
  local pattern
  while IFS= read -r pattern; do
    grep -G -q -e "$pattern" </dev/null 2>"$work/complaint"
    [ "$?" -le 1 ] || fail InvalidConfiguration "" "excludePrecachePatterns: \"$pattern\": $(tr '\n' ' ' <"$work/complaint")"
  done <"$1"
}

# check_digests FILE: an image by tag may be another one tomorrow, and mirrors of digests do not serve it.
check_digests() {
  local image
  while IFS= read -r image; do
    [[ $image =~ ^[^@[:space:]]+/[^@[:space:]]+@sha256:[0-9a-f]{64}$ ]] ||
      fail InvalidConfiguration "$image" "additionalImages: give registry, repository and digest"
  done <"$1"
}

# mounted IMAGE: where the image's files are, as the node names the place.
mounted() { on_node podman image mount "$1"; }
unmount() { on_node podman image unmount "$1" >/dev/null; }

# release_images IMAGE PATTERNS: the release image and every image that its payload names, without those that a
# pattern matches. A pattern sees `"tag$pullspec"` with its quotes, as the workload before this one wrote the lines.
release_images() {
  local release=$1 patterns=$2 mount references
  pull_now "$release" ReleaseUnreadable
  mount=$(mounted "$release") || fail ReleaseUnreadable "$release" "it cannot be mounted"
  references=$host$mount/release-manifests/image-references
  if ! on_node jq -r '.spec.tags[] | select(.from.name) | "\"\(.name)$\(.from.name)\""' \
    <"$references" >"$work/payload" 2>"$work/complaint" || [ ! -s "$work/payload" ]; then
    fail ReleaseUnreadable "$release" "release-manifests/image-references: $(tr '\n' ' ' <"$work/complaint")"
  fi
  unmount "$release"
  if [ -s "$patterns" ]; then
    grep -v -G -f "$patterns" "$work/payload" >"$work/left"
    [ -s "$work/left" ] || fail InvalidConfiguration "" "excludePrecachePatterns leave no image of the release"
    mv "$work/left" "$work/payload"
  fi
  echo "$release"
  sed -E 's/^"[^$]*\$(.*)"$/\1/' "$work/payload"
}
