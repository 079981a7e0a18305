#!/bin/sh
# The container runtime, less what a machine without CAP_SYS_RESOURCE (bit 24) refuses: that capability, and scores of the
# out-of-memory killer below zero.
bounding=$(sed -n 's/^CapBnd:[[:space:]]*//p' /proc/self/status)
if [ $(((0x$bounding >> 24) & 1)) = 0 ]; then
  before=
  for word; do
    case $before in
      --bundle | -b) file=$word/config.json root=.process ;;
      --process | -p) file=$word root=. ;;
    esac
    before=$word
  done
  if [ -f "${file:-}" ]; then
    jq -c "($root | .capabilities[]?) -= [\"CAP_SYS_RESOURCE\"] | ($root | .oomScoreAdj) |= (if . == null or . < 0 then 0 else . end)" \
      "$file" >"$file.allowed" && cat "$file.allowed" >"$file"
  fi
fi
exec runc "$@"
