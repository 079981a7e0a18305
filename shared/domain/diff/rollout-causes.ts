import type { NodePool } from "../hosted-clusters/nodes/node-pool.ts";
import { fieldsOf, isSameJson, ownValue, textOf } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { compareReleases, parseRelease, versionInTag } from "../openshift/releases/release.ts";
import { sentence } from "../text/redact.ts";

/** A changed field for which HyperShift replaces or updates nodes, and a sentence about the change. */
export type RolloutCause = Readonly<{ field: string; text: string }>;

// HyperShift hashes these fields, and replaces or updates a pool's nodes when one of them changes. The pull secret and
// the trust bundle count only by name, not by content.
// Source: hypershift main, hypershift-operator/controllers/nodepool/config.go, lines 165 and 371.
const names = ["spec.pullSecret.name", "spec.additionalTrustBundle.name"];
const contents = ["spec.configuration.image", "spec.configuration.proxy"];
const tlsProfile = "spec.configuration.apiServer.tlsSecurityProfile";
/** The first release in which HyperShift's hash includes the TLS profile: config.go, line 413. */
const tlsProfileSince = { major: 4, minor: 23 };

const valueAt = (object: KubernetesObject, path: string): unknown =>
  path.split(".").reduce<unknown>((value, step) => ownValue(fieldsOf(value), step), object);

function nameCause(path: string, before: KubernetesObject, after: KubernetesObject): readonly RolloutCause[] {
  const [old, now] = [textOf(valueAt(before, path)), textOf(valueAt(after, path))];
  if (old === now) return [];
  return [{ field: path, text: sentence`${path} becomes ${now ?? "empty"}, and is ${old ?? "empty"}.` }];
}

function contentCause(
  path: string,
  before: KubernetesObject,
  after: KubernetesObject,
): readonly RolloutCause[] {
  const isSame = isSameJson(valueAt(before, path) ?? {}, valueAt(after, path) ?? {});
  return isSame ? [] : [{ field: path, text: sentence`${path} changes.` }];
}

/** Returns the changes of a HostedCluster that roll out all its node pools. Changes of mirrors are not included. */
export function clusterCauses(before: KubernetesObject, after: KubernetesObject): readonly RolloutCause[] {
  return [
    ...names.flatMap((path) => nameCause(path, before, after)),
    ...contents.flatMap((path) => contentCause(path, before, after)),
  ];
}

type PoolSide = Readonly<{
  pool: NodePool;
  hostedCluster: KubernetesObject;
  configMaps: ReadonlyMap<string, KubernetesObject>;
}>;

/** Reports whether the version changes: HyperShift's hash contains only the version, not the image. */
function isOtherRelease(before: string, after: string): boolean {
  if (before === "" || after === "" || before === after) return false;
  const [old, now] = [versionInTag(before), versionInTag(after)];
  return old === undefined || old !== now;
}

/** Returns added, removed and changed ConfigMaps. Contents are compared only if both sides have the ConfigMap. */
function configCauses(before: PoolSide, after: PoolSide): readonly RolloutCause[] {
  const field = "spec.config";
  const added = after.pool.config.filter((name) => !before.pool.config.includes(name));
  const removed = before.pool.config.filter((name) => !after.pool.config.includes(name));
  const textIn = ({ pool, configMaps }: PoolSide, name: string) =>
    textOf(ownValue(fieldsOf(configMaps.get(`${pool.namespace}/${name}`)?.data), "config"));
  const changed = after.pool.config.filter((name) => {
    const [old, now] = [textIn(before, name), textIn(after, name)];
    return old !== undefined && now !== undefined && old !== now;
  });
  return [
    ...added.map((name) => ({ field, text: sentence`spec.config gets ConfigMap ${name}.` })),
    ...removed.map((name) => ({ field, text: sentence`spec.config loses ConfigMap ${name}.` })),
    ...changed.map((name) => ({ field, text: sentence`ConfigMap ${name} of spec.config changes.` })),
  ];
}

const streamField = "spec.osImageStream.name";

/** Returns a sentence if the nodes move to RHEL 10. Source: hypershift main, api nodepool_types.go:243. */
function streamText(before: NodePool, after: NodePool): string {
  const [old, now] = [before, after].map(({ version }) => parseRelease(version ?? undefined)?.major);
  const isChosen = textOf(valueAt(after.object, streamField)) !== undefined;
  if (old !== 4 || now !== 5 || isChosen) return "";
  return " Its nodes move from RHEL 9 to RHEL 10, since spec.osImageStream is not set; runc is refused there.";
}

/** Returns the changes that roll out one node pool. */
export function poolCauses(before: PoolSide, after: PoolSide): readonly RolloutCause[] {
  const [old, now] = [before.pool.releaseImage, after.pool.releaseImage];
  const release = parseRelease(after.pool.version ?? undefined);
  const hasTlsProfile = release !== undefined && compareReleases(release, tlsProfileSince) >= 0;
  const text = sentence`spec.release.image becomes ${now}, and is ${old}.${streamText(before.pool, after.pool)}`;
  return [
    ...(isOtherRelease(old, now) ? [{ field: "spec.release.image", text }] : []),
    ...configCauses(before, after),
    ...nameCause(streamField, before.pool.object, after.pool.object),
    ...(hasTlsProfile ? contentCause(tlsProfile, before.hostedCluster, after.hostedCluster) : []),
  ];
}
