#!/bin/bash
# Reports which images of a run are on the node that this container runs on, and pulls nothing. A program of its own: an
# older image of the workload, which would pull, has none and fails.
CHECK_ONLY=true exec /bin/bash "$(dirname "${BASH_SOURCE[0]}")/precache.sh"
