#!/usr/bin/env bash
# workload-root.sh ARCHIVE PROGRAMS: writes the layer of an image for the pre-cache Job: this machine's own programs and
# their libraries in place of UBI's, which no package registry has, and the workload's scripts.
set -euo pipefail
archive=$1 programs=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{tmp,proc,sys,dev,etc,var,run,opt/precache,usr/bin,usr/lib,usr/lib64,usr/sbin}
for link in bin lib lib64 sbin; do ln -s usr/$link "$root/$link"; done
files=$(
  for package in bash coreutils curl grep sed mawk procps util-linux findutils mount; do
    dpkg -L "$package" | grep -E '^(/usr)?/s?bin/'
  done
  command -v awk sh
)
libraries=$(for file in $files; do ldd "$(readlink -f "$file")" 2>/dev/null | grep -oE '/[^ ]+' || true; done | sort -u)
for file in $files $libraries; do
  [ -f "$file" ] || continue
  target=$file
  case $file in /bin/* | /lib/* | /lib64/* | /sbin/*) target=/usr$file ;; esac
  mkdir -p "$root$(dirname "$target")"
  cp -L "$file" "$root$target"
done
chmod 1777 "$root/tmp"
echo 'root:x:0:0:root:/:/bin/sh' >"$root/etc/passwd"
install -m 755 "$programs"/*.sh "$root/opt/precache/"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$root" -cf "$archive" .
