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

/** Everything that objects of a fleet name, and that its clusters may therefore pull. */
export type Needs = Readonly<{
  digests: ReadonlySet<string>;
  tags: ReadonlySet<string>;
  /** The release images that clusters run, ran last, or have planned. */
  releases: ReadonlySet<string>;
  /** The versions of releases whose image no object names. */
  versions: ReadonlySet<string>;
  /** The index images of catalogs. */
  catalogs: ReadonlySet<string>;
  /** Clusters that do not report may pull every release from this one on; undefined without such a cluster. */
  since: Release | undefined;
  /** The clusters that do not report. */
  silent: readonly string[];
  /** The reasons why any image may be needed, such as a policy with a template. */
  unknown: readonly string[];
}>;

type Found = Readonly<Record<"digests" | "tags" | "releases" | "versions" | "catalogs", Set<string>>>;

/** The fields of API objects that hold a release, with its image, its version or both. */
const releaseField = /^(release|controlPlaneRelease|desired|desiredUpdate|history|versionHistory|ocp)$/;
const releaseImageField = /^(releaseImage|platformImage)$/;
const historyField = /^(history|versionHistory)$/;
/** Releases that are offered but not planned: they are kept, but a registry may lack them. */
const offeredField = /^(availableUpdates|conditionalUpdates|versionAvailableUpdates)$/;
const runningKinds = isOneOf([kinds.ClusterVersion, kinds.HostedCluster, kinds.NodePool]);

/**
 * Returns the entries of a history that nodes may still need: the current release, the one before it, and the last of the two
 * minor versions before, which nodes of a paused pool may have.
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

/** Returns the release two minor versions before: nodes of a paused pool are at most that far behind. */
function twoBefore({ major, minor }: Release): Release {
  return minor < 2 ? { major: major - 1, minor: 0 } : { major, minor: minor - 2 };
}

function addText(text: string, field: string, found: Found): void {
  for (const [digest] of text.matchAll(/sha(?:256|384|512):[0-9a-f]{64,128}/g)) found.digests.add(digest);
  // Any word after a colon may be a tag: too many tags only keep more images.
  for (const [, tag = ""] of text.matchAll(/:(\w[\w.-]{0,127})/g)) found.tags.add(tag);
  if (/tag/i.test(field)) found.tags.add(text);
  if (releaseImageField.test(field) && text !== "") found.releases.add(text);
  if (field === "operatorsIndexes" && text !== "") found.catalogs.add(text);
}

/** Returns the index image of a CatalogSource or ClusterCatalog; empty for other values. */
function indexOf({ kind, spec }: ReturnType<typeof fieldsOf>): string {
  const { image, source } = fieldsOf(spec);
  if (kind === kinds.CatalogSource.kind) return textOf(image) ?? "";
  return kind === kinds.ClusterCatalog.kind ? (textOf(fieldsOf(fieldsOf(source).image).ref) ?? "") : "";
}

function addRelease({ image, version }: ReturnType<typeof fieldsOf>, found: Found): void {
  if (typeof image === "string" && image !== "") found.releases.add(image);
  else if (typeof version === "string" && isVersion(version)) found.versions.add(version);
}

/** Adds what a value names. `field` is the name of the field that has it, also for the items of a list. */
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
    // A seed image has the release of this version.
    if (field === "seedImageRef") addRelease({ version: value.version }, found);
    const index = indexOf(value);
    if (index !== "") found.catalogs.add(index);
    for (const [name, one] of Object.entries(value)) addNames(one, name, found);
  }
}

/** Returns why a Policy may name any image: it has a template that no copy of it resolves. */
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

/** Returns why an object hides what runs: it has no status, as in a file of git. */
function unreported(object: KubernetesObject): readonly string[] {
  if (!runningKinds(object) || Object.keys(fieldsOf(object.status)).length > 0) return [];
  return [sentence`${displayName(referenceTo(object))} does not report what it runs`];
}

/**
 * Returns what the objects of a fleet name: every digest and tag in any text, and releases and catalogs by their fields. Of a
 * history only recent entries count. `held` are objects that others hold.
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

/** Reports whether clusters that do not report may need a release of this version, or a version that is unknown. */
export function mayBePulledBySilent({ since }: Needs, version: string | undefined): boolean {
  const release = parseRelease(version);
  return since !== undefined && (release === undefined || compareReleases(release, since) >= 0);
}
