#!/bin/bash
# Pulls the images of a run to the node that this container runs on, or only checks them (check.sh). README.md describes inputs, requirements and
# results.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in settings end node progress space image-names cluster release-images catalog operator-images sizes pull steps; do
  # shellcheck source=/dev/null
  source "$here/$part.sh" && continue
  printf '{"reason":"ToolMissing","image":"","detail":"the image of the workload has no usable %s.sh"}' "$part" \
    >"${TERMINATION_LOG:-/dev/termination-log}"
  exit 20
done

# This shell only waits: bash may lose a signal that arrives while it reads a command substitution.
steps=
trap 'interrupted' TERM INT
if [ "$check_only" = true ]; then check_images; else bring_images; fi &
steps=$!
wait "$steps"
conclude "$?"
