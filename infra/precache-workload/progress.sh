# Reports the progress of the run: a few scalars in a ConfigMap, changed at most every 15 s, and only when a further
# twentieth is done.
# shellcheck shell=bash

reporter=none
images_total=0

# The transferred bytes of finished images, each layer once.
bytes_done() {
  find "$work/done" -type f -printf "$work/layers/%f\0" 2>/dev/null | xargs -0 -r cat |
    awk '!seen[$1]++ { sum += $2 } END { printf "%d\n", sum }'
}

# report_progress REASON IMAGE DETAIL: sends a merge patch; a failure does not stop the run.
report_progress() {
  local done_count=0 fields
  [ -n "$progress_configmap" ] && [ -e "$account/token" ] || return 0
  [ -d "$work/done" ] && done_count=$(find "$work/done" -type f | wc -l)
  fields_of "$1" "$2" "$3"
  fields=$REPLY
  curl --silent --fail --max-time 30 --request PATCH --cacert "$account/ca.crt" \
    --header @<(printf 'Authorization: Bearer %s\n' "$(cat "$account/token")") \
    --header 'Content-Type: application/merge-patch+json' --output /dev/null \
    --data "{\"data\":{\"imagesDone\":\"$done_count\",\"imagesTotal\":\"$images_total\",\"bytesDone\":\"$(bytes_done)\",\"bytesTotal\":\"$bytes_total\",$fields}}" \
    "$api/api/v1/namespaces/$namespace/configmaps/$progress_configmap" ||
    say "the progress could not be reported"
}

# start_reporting TOTAL: reports regularly until `stop_reporting`.
start_reporting() {
  images_total=$1
  echo "$images_total $bytes_total" >"$work/totals"
  report_regularly &
  reporter=$!
}

# recall_totals: for the shell that reports the interruption of the steps.
recall_totals() { [ ! -e "$work/totals" ] || read -r images_total bytes_total <"$work/totals"; }

# report_regularly: reports when a further twentieth is done, and when the reason of failures changes.
report_regularly() {
  local reported=0 now reason=Pulling trouble
  report_progress "$reason" "" ""
  while sleep "$progress_pause"; do
    now=$(find "$work/done" -type f | wc -l)
    trouble=Pulling
    [ -e "$work/trouble" ] && trouble=$(reason_of "$work/trouble")
    if [ "$trouble" != "$reason" ]; then
      report_progress "$trouble" "$(head -n 1 "$work/trouble")" "$(tail -n 1 "$work/trouble")"
    elif [ "$now" -gt "$reported" ] && [ "$((20 * (now - reported)))" -ge "$images_total" ]; then
      report_progress Pulling "" ""
      rm -f "$work/trouble"
    else continue; fi
    reported=$now
    reason=$trouble
  done
}

stop_reporting() {
  [ "$reporter" != none ] || return 0
  end_helper "$reporter"
  reporter=none
}
