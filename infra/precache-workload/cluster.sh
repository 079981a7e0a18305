# What the cluster's API says about the images of a release: those that it has already, and those that it never boots.
# shellcheck shell=bash

# read_cluster PATH: prints what the API returns; nothing where it does not serve the path or denies access, and outside of a
# pod.
read_cluster() {
  [ -n "$namespace" ] && [ -e "$account/token" ] || return 0
  curl --silent --fail --max-time 30 --cacert "$account/ca.crt" \
    --header @<(printf 'Authorization: Bearer %s\n' "$(cat "$account/token")") \
    "$api/apis/machineconfiguration.openshift.io/$1"
}

# Prints the OS stream of the pools that have nodes, `none` if they have none, or `changing`. The machine-config-operator
# removes the stream from the status of a pool that is updating or degraded (pkg/controller/node/status.go, getOSImageStream).
read -r -d '' pool_stream <<'JQ' || true
def stream: .osImageStream? | objects | .name | strings;
def is($type): any(.conditions[]?; .type == $type and .status == "True");
[.items[] | select(.status.machineCount > 0)
  | (first(.spec | stream) // "") as $wanted | (first(.status | stream) // "") as $current
  | if $current != "" and ($wanted == "" or $wanted == $current) then $current
    elif $current == "" and $wanted == "" and (.status | is("Updated") and (is("Degraded") | not)) then "none"
    else "changing" end]
| unique | if length == 1 then .[0] else "changing" end
JQ

# os_stream: the OS stream that the node boots; nothing if that is unknown or changes. Pools without a stream are those of
# clusters before OS streams, or of nodes with an image of their own: then the OS that the node runs decides.
os_stream() {
  local stream
  stream=$(read_cluster v1/machineconfigpools | on_node jq -r "$pool_stream" 2>/dev/null)
  [ "$stream" != none ] ||
    stream=$(on_node sed -n -E 's/^PLATFORM_ID="?platform:el([0-9]+)"?$/rhel-\1/p' "$os_release" 2>/dev/null)
  [ "$stream" = changing ] || echo "$stream"
}

# Whether an InternalReleaseImage has the release, on all nodes of the control plane.
read -r -d '' holds <<'JQ' || true
def is($type): any(.conditions[]?; .type == $type and .status == "True");
($release | split("@")) as [$name, $digest] | ($name | split("/") | last | split(":")[1]) as $tag
| any(.status.releases[]?; is("Available") and (is("Degraded") | not)
    and (if $digest then (.image // "" | split("@")[1]) == $digest
         else $tag != null and .name == "ocp-release-bundle-\($tag)" end))
JQ

# has_release RELEASE: whether the registry on the cluster's own nodes has the whole release: an InternalReleaseImage lists
# it by digest, or by the version and architecture that the tag has.
has_release() {
  local version object found
  for version in v1 v1alpha1; do
    object=$(read_cluster "$version/internalreleaseimages/cluster")
    [ -n "$object" ] || continue
    found=$(printf '%s' "$object" | on_node jq --arg release "$1" "$holds" 2>/dev/null)
    [ "$found" != true ] || return 0
  done
  return 1
}
