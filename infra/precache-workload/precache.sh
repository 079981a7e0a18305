#!/bin/bash
# Brings the images of a run onto the node that this container runs on. README.md beside this file tells what it is
# given, what it needs and what it answers.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in settings end node progress space release-images operator-images sizes pull steps; do
  # shellcheck source=/dev/null
  source "$here/$part.sh"
done

# This shell only waits. One that works may lose a signal: bash forgets its trap when it comes while a command
# substitution is read.
bring_images &
steps=$!
trap 'interrupted' TERM INT
wait "$steps"
exit "$?"
