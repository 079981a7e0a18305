# Catalogs are data: no program of an index image runs. The workload's own `opm` reads both forms, a folder of files and an
# SQLite database, without privileges and network.
# shellcheck shell=bash

# Where the image of the workload has it.
opm=${OPM:-$here/opm}
opm_seconds=${OPM_SECONDS:-600}
# Nobody's.
opm_id=65534

# labelled IMAGE LABEL: the value of an image's label.
labelled() { node_podman image inspect --format "{{index .Labels \"$2\"}}" -- "$1" 2>/dev/null | first_line; }

# catalog_path IMAGE MOUNT: the path of the catalog in the image, as its labels or the paths of opm's images say.
catalog_path() {
  local label path
  for label in configs database; do
    path=$(labelled "$1" "operators.operatorframework.io.index.$label.v1")
    [[ $path == /* ]] && echo "$path" && return
  done
  if [ -d "$host$2/configs" ]; then echo /configs; else echo /database/index.db; fi
}

# copy_catalog ROOT PATH: copies the regular files of a catalog, which anybody may then read. Links stay behind, and one on
# the way must not lead out of the image: its target is a path of this container.
copy_catalog() {
  local root found
  root=$(realpath -e "$1") && found=$(realpath -e "$root$2") || return 1
  [[ $found == "$root"/* ]] || return 1
  rm -rf "$work/catalog-files" && mkdir -p "$work/catalog-files" || return 1
  if [ -d "$found" ]; then
    (cd "$found" && find . -type f -exec cp --parents --target-directory="$work/catalog-files" {} +) || return 1
  else
    [ -f "$found" ] && cp "$found" "$work/catalog-files/index.db" || return 1
  fi
  chmod -R u=rwX,go=rX "$work/catalog-files"
}

# Only the catalog and opm are below /mnt.
read -r -d '' unprivileged <<'SH' || true
mount -t tmpfs -o mode=0755 tmpfs /mnt && mkdir /mnt/catalog && : >/mnt/opm &&
  mount --bind -o "$6" "$1" /mnt/catalog && mount --bind -o ro "$2" /mnt/opm && cd /mnt/catalog &&
  exec setpriv --reuid="$3" --regid="$3" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs \
    env -i HOME=/ timeout --kill-after=5 "$4" /mnt/opm render "$5" --output=json
SH

# render_catalog: prints the copied catalog as JSON objects. opm updates the schema of an older database in place, so the
# copy of a database is its own.
render_catalog() {
  local form=. access=ro
  if [ -f "$work/catalog-files/index.db" ]; then
    form=index.db access=rw,nosuid,nodev,noexec
    chown -R "$opm_id:$opm_id" "$work/catalog-files" || return 1
  fi
  unshare --net --mount --ipc -- bash -c "$unprivileged" bash \
    "$work/catalog-files" "$opm" "$opm_id" "$opm_seconds" "$form" "$access"
}
