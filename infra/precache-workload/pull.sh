# Pulls: bounded concurrency, retries, and a timeout for pulls that stall.
# shellcheck shell=bash

# Registries may time out on pulls below 2 Mbit/s: fewer at a time on thin links.
pulls_at_once() {
  local most=$parallel
  if [ "$bandwidth" -gt 0 ] && [ "$((bandwidth / 2))" -lt "$most" ]; then most=$((bandwidth / 2)); fi
  [ "$most" -ge 1 ] || most=1
  echo "$most"
}

# watch PULL COMPLAINT: ends a pull that stalls.
watch() {
  local pull=$1 complaint=$2 last=0 now still=0 pause=5 silence
  [ "$stall" -ge "$pause" ] || pause=$stall
  # A pipe that stays silent: `sleep` would be one more process of every pull, and outlive a watcher that is killed.
  exec {silence}<> <(:)
  while
    read -r -t "$pause" -u "$silence"
    [ "$?" -gt 128 ] && kill -0 "$pull" 2>/dev/null
  do
    now=$(moved_below "$pull")
    # A waiting program still reads and writes a few bytes.
    if [ "$((now - last))" -lt 4096 ]; then still=$((still + pause)); else still=0; fi
    last=$now
    [ "$still" -lt "$stall" ] && continue
    echo "nothing moved for $stall s" >"$complaint"
    pkill -KILL -P "$pull"
    return
  done
}

# moved_below PID: bytes that the programs of a subshell have read and written; increases during a download.
moved_below() {
  local child
  for child in $(pgrep -P "$1"); do cat "/proc/$child/io" 2>/dev/null; done | awk '/^[rw]char/ { sum += $2 } END { printf "%.0f\n", sum }'
}

# try_pull IMAGE COMPLAINT: one attempt, watched for stalls.
try_pull() {
  local pull watcher status incoming=incoming/$BASHPID
  mkdir -p "$work/$incoming"
  podman_pull "$1" "$incoming" 2>"$2" &
  pull=$!
  watch "$pull" "$2" &
  watcher=$!
  wait "$pull"
  status=$?
  { kill -KILL "$watcher" && wait "$watcher"; } 2>/dev/null
  # The watcher kills what stalls, and has said so.
  [ "$status" -ne 137 ] || grep -q '^nothing moved' "$2" ||
    echo "the pull was killed, perhaps because the pod reached its memory limit (exit code 137)" >>"$2"
  rm -rf "${work:?}/$incoming"
  return "$status"
}

# reason_of FILE: the reason for podman's error message.
reason_of() {
  if grep -q -i -E 'no space left on device' "$1"; then echo NoSpace
  elif grep -q -i -E 'unauthorized|authentication required|access to the resource is denied|status code.* 403' "$1"; then echo Unauthorized
  elif grep -q -i -E 'manifest unknown|name unknown|not found' "$1"; then echo ImageNotFound
  elif grep -q -i -E 'rejected by policy|signature' "$1"; then echo RejectedByPolicy
  else echo PullFailed; fi
}

# tries_of REASON: the number of attempts. A registry without the image may still be syncing, so two.
tries_of() { case $1 in PullFailed) echo "$attempts" ;; NoSpace | RejectedByPolicy) echo 1 ;; *) echo 2 ;; esac; }

# pull_with_retries IMAGE COMPLAINT: 0 when the image is on the node.
pull_with_retries() { is_on_node "$1" || pull_missing "$1" "$2"; }

# pull_missing IMAGE COMPLAINT: the same without the check; for an image on the node, podman requests only the manifest.
pull_missing() {
  local image=$1 complaint=$2 attempt=1 pause=$first_pause
  until try_pull "$image" "$complaint"; do
    say "attempt $attempt at $image: $(tail -n 1 "$complaint" | cut -c1-300)"
    printf '%s\n%s\n' "$image" "$(tail -n 1 "$complaint")" >"$work/trouble"
    [ "$attempt" -lt "$(tries_of "$(reason_of "$complaint")")" ] || return 1
    sleep "$((pause + RANDOM % (pause + 1)))"
    attempt=$((attempt + 1))
    pause=$((pause * 2 > 60 ? 60 : pause * 2))
  done
}

# pull_now IMAGE REASON: pulls an image that names others. False when it cannot be pulled, which is put off; in a check, when
# it is missing, which counts as one of the images.
pull_now() {
  local complaint=$work/complaint reason
  # Reading the index also works where podman fails because of another image that a kill left incomplete.
  read_storage
  is_stored "$1" && return 0
  if [ "$check_only" = true ]; then
    is_on_node "$1" && return 0
    echo "$1" >>"$work/unlisted"
    echo "$1"
    return 1
  fi
  pull_with_retries "$1" "$complaint" && return 0
  reason=$(reason_of "$complaint")
  [ "$reason" != PullFailed ] || reason=$2
  put_off "$reason" "$1" "$(tail -n 1 "$complaint")"
}

# count_pulls: sets REPLY to the number of running pulls, without the progress reporter.
count_pulls() {
  local pid
  REPLY=0
  for pid in $(jobs -rp); do [ "$pid" = "$reporter" ] || REPLY=$((REPLY + 1)); done
}

# wait_for_pulls MAX: waits until at most that many pulls run.
wait_for_pulls() {
  while count_pulls && [ "$REPLY" -gt "$1" ]; do wait -n; done
}

# mark_done NUMBER IMAGE: counts the image as done.
mark_done() {
  echo "$2" >"$work/done/$1"
  say "on the node: $2"
}

# pull_numbered NUMBER IMAGE: one of many; its result is in a file of that number.
pull_numbered() {
  local number=$1 image=$2 complaint=$work/complaints/$1 pull=pull_with_retries
  # The index has no such digest, but a tag may exist under another name.
  [[ $image == *@* ]] && pull=pull_missing
  if "$pull" "$image" "$complaint"; then
    mark_done "$number" "$image"
  else { echo "$image"; tail -n 1 "$complaint"; } >"$work/failed/$number"; fi
}

# The number of images of the release, which are listed first.
release_count=0

# largest_first IMAGES: `NUMBER IMAGE` of each, those of the release first, of these and of the others the largest transfers
# first. Small images at the end keep the link busy, and a kill loses little.
largest_first() {
  find "$work/layers" -type f -size +0 -exec awk '
    { number = FILENAME; sub(".*/", "", number); size[number] += $2 }
    END { for (number in size) printf "%d %d\n", number, size[number] }' {} + >"$work/sizes"
  awk -v release="$release_count" 'FILENAME == ARGV[1] { size[$1] = $2; next }
    { printf "%d %d %d %s\n", (FNR > release), size[FNR], FNR, $0 }' "$work/sizes" "$1" |
    sort -s -k 1,1n -k 2,2nr | cut -d ' ' -f 3-
}

# pull_all IMAGES: tries every image that an earlier call has not tried, even if others fail.
pull_all() {
  local image number most
  most=$(pulls_at_once)
  start_reporting "$(wc -l <"$1")"
  largest_first "$1" >"$work/order"
  while read -r number image; do
    [ ! -e "$work/done/$number" ] && [ ! -e "$work/failed/$number" ] || continue
    if is_stored "$image"; then
      mark_done "$number" "$image"
      continue
    fi
    wait_for_pulls "$((most - 1))"
    pull_numbered "$number" "$image" &
  done <"$work/order"
  wait_for_pulls 0
  stop_reporting
}

# fail_as_pulled IMAGES: ends the run with the first image that could not be pulled, if there is one.
fail_as_pulled() {
  local first
  first=$(find "$work/failed" -type f | sort -V | head -n 1)
  [ -n "$first" ] || return 0
  fail "$(reason_of "$first")" "$(head -n 1 "$first")" \
    "$(tail -n 1 "$first" | cut -c1-300) ($(find "$work/failed" -type f | wc -l) of $(wc -l <"$1") images failed)"
}

# find_all IMAGES: counts those on the node as done, and names the others in the file of missing ones.
find_all() {
  local image number=0
  images_total=$(wc -l <"$1")
  read_storage
  while IFS= read -r image; do
    number=$((number + 1))
    # Its layers, of which nothing is known here, would be counted.
    : >"$work/layers/$number"
    if is_stored "$image" || is_on_node "$image"; then
      mark_done "$number" "$image"
    else
      echo "$image" >>"$work/missing"
      say "missing: $image"
    fi
  done <"$1"
}

# verify_all IMAGES: each is in the node's storage under its digest.
verify_all() {
  local image
  read_storage
  while IFS= read -r image; do
    is_stored "$image" || is_on_node "$image" || fail VerificationFailed "$image" "it was pulled but is not on the node"
  done <"$1"
}
