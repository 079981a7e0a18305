# The end of a run: an exit code for each reason, and the details as JSON in the termination message.
# shellcheck shell=bash

declare -A exit_codes=(
  [InvalidConfiguration]=10 [NoSpace]=11 [ReleaseUnreadable]=12 [CatalogUnreadable]=13 [PullFailed]=14
  [Unauthorized]=15 [ImageNotFound]=16 [RejectedByPolicy]=17 [VerificationFailed]=18 [SpaceAboveThreshold]=19
  [ToolMissing]=20 [Interrupted]=143
)

# printable TEXT: sets REPLY to the text in ASCII, without credentials in URLs. Control characters become spaces. Starts no
# process for most texts: a run prints a line for each of hundreds of images.
printable() {
  local LC_ALL=C
  REPLY=${1//[[:cntrl:]]/ }
  REPLY=${REPLY//[^[:print:]]/?}
  [[ $REPLY != *://*@* ]] || REPLY=$(sed -E 's#://[^/@ ]+@#://#g' <<<"$REPLY")
}

say() {
  printable "$*"
  TZ=UTC printf '%(%Y-%m-%dT%H:%M:%SZ)T %s\n' -1 "$REPLY" >&2
}

# quoted TEXT: sets REPLY to a JSON string of at most 512 characters before they are escaped.
quoted() {
  printable "$1"
  REPLY=${REPLY:0:512}
  REPLY=${REPLY//'\'/'\\'}
  REPLY=\"${REPLY//'"'/'\"'}\"
}

# fields_of REASON IMAGE DETAIL: sets REPLY to the fields of a JSON object.
fields_of() {
  local image detail
  quoted "$2"
  image=$REPLY
  quoted "$3"
  detail=$REPLY
  REPLY="\"reason\":\"$1\",\"image\":$image,\"detail\":$detail"
}

# finish REASON IMAGE DETAIL: reports the end of the run, and cleans up.
finish() {
  local reason=$1 image=$2 detail=$3 message written
  say "$reason${image:+ $image}${detail:+: $detail}"
  fields_of "$reason" "$image" "$detail"
  message={$REPLY}
  printf '%s' "$message" >"$termination_log"
  written=$?
  stop_reporting
  report_progress "$reason" "$image" "$detail"
  clear_node
  # The kubelet then takes the end of the log.
  [ "$written" -eq 0 ] || printf '%s\n' "$message" >&2
}

fail() {
  finish "$@"
  exit "${exit_codes[$1]}"
}

# put_off REASON IMAGE DETAIL: records why a part of the request cannot be had, and is false. The run ends with it once the
# rest is on the node.
put_off() {
  say "$1 $2: $3"
  printable "$3"
  printf '%s\n' "$1" "$2" "$REPLY" >>"$work/put-off"
  return 1
}

# fail_as_put_off [REST]: ends the run with the first reason that was put off, if there is one; REST says how the rest is.
fail_as_put_off() {
  local reason image detail
  [ -s "$work/put-off" ] || return 0
  { read -r reason && read -r image && read -r detail; } <"$work/put-off"
  fail "$reason" "$image" "${1:+$1; }$detail"
}

# note TEXT: records how the images of the release were chosen, for the result of a run that ends well.
note() {
  say "$1"
  printf '; %s' "$1" >>"$work/notes"
}

noted() { if [ -e "$work/notes" ]; then cat "$work/notes"; fi; }

# succeed: packages that no catalog has do not fail the run, as in TALM's workload, but are its reason.
succeed() {
  if [ -s "$work/not-found" ]; then
    finish PackagesNotFound "" "no index has $(first_names "$work/not-found"); everything else is on the node$(noted)"
  else
    finish Completed "" "$(wc -l <"$work/images") images are on the node$(noted)"
  fi
  exit 0
}

# succeed_check: ends a check, whatever it has found. An image whose own list of images is not known is named as well.
succeed_check() {
  finish Checked "$(first_line <"$work/unlisted")" "$(first_names "$work/missing")"
  exit 0
}

# first_names FILE: the names that fit into a message, and the number of others; the log has them all.
first_names() {
  awk 'NR == 1 || length(text) + length($0) < 220 { text = text (NR == 1 ? "" : ", ") $0; next }
    { more++ } END { printf "%s%s\n", text, more ? " and " more " more" : "" }' "$1"
}

# conclude STATUS: ends this shell with the status of the steps. Reports the end if they could not: they were stopped or
# killed, or an error of the shell ended them.
conclude() {
  local code
  for code in 0 "${exit_codes[@]}"; do
    [ "$1" -ne "$code" ] || [ "$code" -eq "${exit_codes[Interrupted]}" ] || exit "$1"
  done
  trap '' TERM INT
  kill 0
  # The node's programs end a moment later, and still write to the work folder.
  for _ in {1..50}; do
    pkill -0 -g 0 -x 'podman|skopeo' || break
    sleep 0.1
  done
  recall_totals
  [ "$1" -ne "${exit_codes[Interrupted]}" ] ||
    fail Interrupted "" "the pod was asked to stop; what is finished stays on the node"
  local why="the workload ended unexpectedly, with exit code $1; the log of its pod shows why"
  [ "$1" -ne 137 ] || why="it was killed, perhaps because it reached its memory limit (exit code 137)"
  finish PullFailed "" "$why"
  exit "$1"
}

# The kubelet stops the pod: the Job is suspended, or past its deadline. Complete layers stay.
interrupted() {
  local status=${exit_codes[Interrupted]}
  trap '' TERM INT
  kill 0
  # Without steps, the signal arrived before they started.
  if [ -n "$steps" ]; then
    wait "$steps"
    status=$?
  fi
  conclude "$status"
}
