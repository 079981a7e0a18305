#!/bin/bash
# Pulls the images of a run to the node that this container runs on. README.md describes inputs, requirements and
# results.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in settings end node progress space release-images operator-images sizes pull steps; do
  # shellcheck source=/dev/null
  source "$here/$part.sh"
done

# This shell only waits: bash may lose a signal that arrives while it reads a command substitution.
bring_images &
steps=$!
trap 'interrupted' TERM INT
wait "$steps"
exit "$?"
