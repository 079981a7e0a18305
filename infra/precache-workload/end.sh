# The end of a run: an exit code for each reason, and the details as JSON in the termination message.
# shellcheck shell=bash

declare -A exit_codes=(
  [InvalidConfiguration]=10 [NoSpace]=11 [ReleaseUnreadable]=12 [CatalogUnreadable]=13 [PullFailed]=14
  [Unauthorized]=15 [ImageNotFound]=16 [RejectedByPolicy]=17 [VerificationFailed]=18 [SpaceAboveThreshold]=19
  [ToolMissing]=20 [Interrupted]=143
)

say() { TZ=UTC printf '%(%Y-%m-%dT%H:%M:%SZ)T %s\n' -1 "$*" >&2; }

# quoted TEXT: a JSON string. Control characters become spaces, and credentials in URLs are removed.
quoted() {
  local text
  text=$(printf '%s' "$1" | tr '\000-\037' ' ' | sed -E 's#://[^/@ ]+@#://#g; s/[\\"]/\\&/g' | cut -c1-512)
  printf '"%s"' "$text"
}

# finish REASON IMAGE DETAIL: reports the end of the run, and cleans up.
finish() {
  local reason=$1 image=$2 detail=$3
  say "$reason${image:+ $image}${detail:+: $detail}"
  printf '{"reason":%s,"image":%s,"detail":%s}' "$(quoted "$reason")" "$(quoted "$image")" "$(quoted "$detail")" \
    >"$termination_log"
  stop_reporting
  report_progress "$reason" "$image" "$detail"
  clear_node
}

fail() {
  finish "$@"
  exit "${exit_codes[$1]}"
}

succeed() {
  finish Completed "" "$(wc -l <"$work/images") images are on the node"
  exit 0
}

# The kubelet stops the pod: the Job is suspended, or past its deadline. Complete layers stay.
interrupted() {
  local status
  trap '' TERM INT
  kill 0
  wait "$steps"
  status=$?
  # The steps had already ended, and reported the reason.
  [ "$status" -eq "${exit_codes[Interrupted]}" ] || exit "$status"
  # The node's programs end a moment later, and still write to the work folder.
  for _ in {1..50}; do
    pkill -0 -g 0 -x 'podman|skopeo' || break
    sleep 0.1
  done
  recall_totals
  fail Interrupted "" "the pod was asked to stop; what is finished stays on the node"
}
