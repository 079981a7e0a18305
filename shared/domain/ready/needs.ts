import { conditionOf } from "../kubernetes/conditions.ts";
import { fieldsOf, isRecord, objectsOf, textOf } from "../kubernetes/json/values.ts";
import {
  displayName,
  isOfAnyVersion,
  isOneOf,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "../kubernetes/object.ts";
import {
  compareReleases,
  isVersion,
  parseRelease,
  type Release,
  releaseText,
} from "../openshift/releases/release.ts";
import { sentence } from "../text/redact.ts";

/** What a fleet's objects name, and its clusters may therefore pull. */
export type Needs = Readonly<{
  digests: ReadonlySet<string>;
  tags: ReadonlySet<string>;
  /** Release images that clusters run, ran last, or plan to run. */
  releases: ReadonlySet<string>;
  /** Versions of releases for which no object names an image. */
  versions: ReadonlySet<string>;
  /** The index images of catalogs. */
  catalogs: ReadonlySet<string>;
  /** The oldest release that clusters without reports may pull; undefined if all clusters report. */
  since: Release | undefined;
  /** Names of clusters that do not report what they run. */
  silent: readonly string[];
  /** Why any image may be needed, such as a policy with a template; empty if all needs are known. */
  unknown: readonly string[];
}>;

type Found = Readonly<Record<"digests" | "tags" | "releases" | "versions" | "catalogs", Set<string>>>;

/** Fields of API objects whose value is a release, with its image, its version or both. */
const releaseField = /^(release|controlPlaneRelease|desired|desiredUpdate|history|versionHistory|ocp)$/;
const releaseImageField = /^(releaseImage|platformImage)$/;
const historyField = /^(history|versionHistory)$/;
/** Fields with releases that are offered but not planned. Their images are kept, but a registry may lack them. */
const offeredField = /^(availableUpdates|conditionalUpdates|versionAvailableUpdates)$/;
const runningKinds = isOneOf([kinds.ClusterVersion, kinds.HostedCluster, kinds.NodePool]);

/**
 * Returns the entries of a history that nodes may still need: the current release, the one before it, and the last of each
 * of the two earlier minor versions, which nodes of a paused pool may run.
 */
function recentOf(history: readonly unknown[]): readonly unknown[] {
  const minors = new Set<string>();
  let completed = 0;
  return history.filter((entry) => {
    const { state, version } = fieldsOf(entry);
    if (state !== "Completed") return completed < 2;
    completed++;
    const before = minors.size;
    const release = parseRelease(textOf(version));
    minors.add(release ? releaseText(release) : "");
    return completed <= 2 || (minors.size > before && minors.size <= 3);
  });
}

/** Returns the release two minor versions earlier, the oldest that nodes of a paused pool may run. */
function twoBefore({ major, minor }: Release): Release {
  return minor < 2 ? { major: major - 1, minor: 0 } : { major, minor: minor - 2 };
}

function addText(text: string, field: string, found: Found): void {
  for (const [digest] of text.matchAll(/sha(?:256|384|512):[0-9a-f]{64,128}/g)) found.digests.add(digest);
  // Any word after a colon may be a tag. Too many tags only keep more images.
  for (const [, tag = ""] of text.matchAll(/:(\w[\w.-]{0,127})/g)) found.tags.add(tag);
  if (/tag/i.test(field)) found.tags.add(text);
  if (releaseImageField.test(field) && text !== "") found.releases.add(text);
  if (field === "operatorsIndexes" && text !== "") found.catalogs.add(text);
}

/** Returns the index image of a CatalogSource or ClusterCatalog; empty for any other object. */
function indexOf({ kind, spec }: ReturnType<typeof fieldsOf>): string {
  const { image, source } = fieldsOf(spec);
  if (kind === kinds.CatalogSource.kind) return textOf(image) ?? "";
  return kind === kinds.ClusterCatalog.kind ? (textOf(fieldsOf(fieldsOf(source).image).ref) ?? "") : "";
}

function addRelease({ image, version }: ReturnType<typeof fieldsOf>, found: Found): void {
  if (typeof image === "string" && image !== "") found.releases.add(image);
  else if (typeof version === "string" && isVersion(version)) found.versions.add(version);
}

/** Adds what a value names to `found`. `field` is the field of the value, or of the list that has it. */
function addNames(value: unknown, field: string, found: Found): void {
  if (offeredField.test(field)) {
    addNames(value, "", { ...found, releases: new Set(), versions: new Set() });
    return;
  }
  if (typeof value === "string") addText(value, field, found);
  else if (Array.isArray(value))
    for (const item of historyField.test(field) ? recentOf(value) : value) addNames(item, field, found);
  else if (isRecord(value)) {
    if (releaseField.test(field)) addRelease(value, found);
    // The `version` in the same object as a seed image is the version of the release in that image.
    if (field === "seedImageRef") addRelease({ version: value.version }, found);
    const index = indexOf(value);
    if (index !== "") found.catalogs.add(index);
    for (const [name, one] of Object.entries(value)) addNames(one, name, found);
  }
}

/** Returns a reason if a Policy may name any image: it has templates, and no copy with their values is known. */
function templateIn(object: KubernetesObject, copied: ReadonlySet<string>): readonly string[] {
  const text = JSON.stringify(object.spec) ?? "";
  const isResolved = copied.has(`${object.metadata.namespace}.${object.metadata.name}`);
  const open = isResolved ? text.replaceAll("{{hub", "") : text;
  if (!open.includes("{{") && !open.includes("object-templates-raw")) return [];
  return [sentence`${displayName(referenceTo(object))} is a template, which may name any image`];
}

type ClusterState = Readonly<{ name: string; versions: readonly string[]; isReporting: boolean }>;

function stateOf(cluster: KubernetesObject, infos: ReadonlyMap<string, KubernetesObject>): ClusterState {
  const { name, labels = {} } = cluster.metadata;
  const { ocp } = fieldsOf(fieldsOf(infos.get(name)?.status).distributionInfo);
  const history = objectsOf(fieldsOf(ocp).versionHistory);
  const claims = objectsOf(fieldsOf(cluster.status).clusterClaims);
  const claimed = claims.find((claim) => claim.name === "version.openshift.io")?.value;
  const versions = [labels.openshiftVersion, claimed, fieldsOf(ocp).version, history[0]?.version];
  const isAvailable = conditionOf(cluster, "ManagedClusterConditionAvailable")?.status === "True";
  return {
    name,
    versions: versions.flatMap((one) => (typeof one === "string" && isVersion(one) ? [one] : [])),
    isReporting: isAvailable && history.length > 0,
  };
}

/** Returns a reason if it is unknown what a cluster runs: its object has no status, as in a file from git. */
function unreported(object: KubernetesObject): readonly string[] {
  if (!runningKinds(object) || Object.keys(fieldsOf(object.status)).length > 0) return [];
  return [sentence`${displayName(referenceTo(object))} does not report what it runs`];
}

/**
 * Returns what a fleet's objects name: digests and tags in any text, and releases and catalogs in their fields. Only recent
 * entries of a history count. `held` are objects that are embedded in others.
 */
export function needsOf(objects: readonly KubernetesObject[], held: readonly KubernetesObject[] = []): Needs {
  const found: Found = {
    digests: new Set(),
    tags: new Set(["latest"]),
    releases: new Set(),
    versions: new Set(),
    catalogs: new Set(),
  };
  for (const object of [...objects, ...held]) {
    addNames(object, "", found);
    if (isOfAnyVersion(kinds.NodePool, object))
      addRelease({ version: fieldsOf(object.status).version }, found);
  }
  const of = (kind: (typeof kinds)[keyof typeof kinds]) => objects.filter((one) => isOfAnyVersion(kind, one));
  const policies = objects.filter(({ apiVersion }) =>
    apiVersion.startsWith("policy.open-cluster-management.io/"),
  );
  const copied = new Set(policies.map(({ metadata }) => metadata.name));
  const infos = new Map(of(kinds.ManagedClusterInfo).map((info) => [info.metadata.name, info]));
  const clusters = of(kinds.ManagedCluster).map((cluster) => stateOf(cluster, infos));
  for (const { versions } of clusters) for (const version of versions) found.versions.add(version);
  const silent = clusters.filter(({ isReporting }) => !isReporting);
  const floors = silent.flatMap(({ versions }) => versions.flatMap((one) => parseRelease(one) ?? []));
  const [oldest] = floors.sort(compareReleases);
  const isEmpty =
    clusters.length === 0 && of(kinds.ClusterVersion).length === 0 && of(kinds.HostedCluster).length === 0;
  return {
    ...found,
    since: oldest && twoBefore(oldest),
    silent: silent.map(({ name }) => name),
    unknown: [
      ...(isEmpty
        ? ["no ClusterVersion, ManagedCluster or HostedCluster is given, so that no cluster is known"]
        : []),
      ...policies.flatMap((policy) => templateIn(policy, copied)),
      ...objects.flatMap(unreported),
      ...silent.flatMap(({ name, versions }) =>
        versions.length > 0 ? [] : [sentence`cluster ${name} has never reported what it runs`],
      ),
    ],
  };
}

/** Reports whether clusters without reports may need a release of this version; an unknown version counts as needed. */
export function mayBePulledBySilent({ since }: Needs, version: string | undefined): boolean {
  const release = parseRelease(version);
  return since !== undefined && (release === undefined || compareReleases(release, since) >= 0);
}
