import { searchedReleases } from "../hosted-clusters/olm-catalogs/default-catalogs.ts";
import { conditionOf } from "../kubernetes/conditions.ts";
import { fieldsOf, isRecord, objectsOf, textOf, type UnknownRecord } from "../kubernetes/json/values.ts";
import {
  displayName,
  isOfAnyVersion,
  isOneOf,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "../kubernetes/object.ts";
import { compareReleases, isVersion, parseRelease, type Release } from "../openshift/releases/release.ts";
import { sentence } from "../text/redact.ts";

/** Images that registries must keep although no object names them, and the reason. */
export type Kept = Readonly<{
  reason: string;
  /** Reports whether a release of this version is kept. */
  hasRelease?: (version: string | undefined) => boolean;
  catalogs?: true;
  /** The name of a repository, as objects write it; all images in the repository are kept. */
  repository?: string;
}>;

type Names = "digests" | "tags" | "releases" | "versions" | "catalogs";

/** What a fleet's objects name. `releases` and `catalogs` are images; `versions` are releases without a known image. */
export type Needs = Readonly<Record<Names, ReadonlySet<string>>> &
  Readonly<{
    /** The oldest release whose catalogs clusters may use: an operator may be as old as a cluster's first release. */
    oldest: Release | undefined;
    kept: readonly Kept[];
    /** The reasons why every image may be needed, such as a template in an unknown field. */
    unknown: readonly string[];
  }>;

type Place = Readonly<Record<"field" | "parent" | "kind", string>>;
type Template = Place & Readonly<{ text: string }>;
type Found = Readonly<Record<Names | "past", Set<string>> & { templates: Template[] }>;

const releaseField = /^(release|controlPlaneRelease|desired|desiredUpdate|history|versionHistory|ocp)$/;
const releaseImageField = /^(releaseImage|platformImage)$/;
const selectingField = /^(labels|matchLabels|matchExpressions|nodeSelector)$/;
const hasNodes = isOneOf([kinds.ManagedCluster, kinds.ClusterVersion, kinds.HostedCluster, kinds.NodePool]);
const nowhere: Place = { field: "", parent: "", kind: "" };
/** Fields of OCM policies whose text never names an image. `channel` is among them, because all channels are kept. */
const imagelessField =
  /^(?:(?:cluster|host|node|user)?name|namespace|channel|startingCSV|source|sourceNamespace|clusterID|(?:host|base)?domain|address(?:es)?|ips?|cidrs?|mtu|vlan(?:ID)?|gateway|(?:ntp|dns)Servers|interface|resourceName|replicas|cpus?|isolated|reserved)$/i;
/** Template functions that may print more than the value of one field. */
const printsFields = /to(?:Literal|RawJson|Json|Yaml)|copy(?:ConfigMap|Secret)Data/;
const silentAction = /\{\{-?\s{0,9}(?:if|else|end|range|with|\/\*|\$\w{1,99}\s{0,9}:?=)[^{}]*\}\}/g;

/** Returns the entries of an update history (newest first) whose releases nodes may still need. */
function recentOf(history: readonly unknown[]): readonly unknown[] {
  const minors = new Set<string>();
  let completed = 0;
  return history.filter((entry) => {
    const { state, version } = fieldsOf(entry);
    if (state !== "Completed") return completed < 2;
    const [minor = ""] = /^\d+\.\d+/.exec(textOf(version) ?? "") ?? [];
    const isNew = !minors.has(minor);
    minors.add(minor);
    return ++completed <= 2 || (isNew && minors.size <= 3);
  });
}

const isIndex = ({ field, parent, kind }: Place): boolean =>
  field === "operatorsIndexes" ||
  (kind === kinds.CatalogSource.kind && parent === "spec" && field === "image") ||
  (kind === kinds.ClusterCatalog.kind && parent === "image" && field === "ref");

function addText(text: string, place: Place, found: Found): void {
  for (const [digest] of text.matchAll(/sha(?:256|384|512):[0-9a-f]{64,128}/g)) found.digests.add(digest);
  // Any word after a colon may be a tag. Too many tags only keep more images.
  for (const [, tag = ""] of text.matchAll(/:(\w[\w.-]{0,127})/g)) found.tags.add(tag);
  if (/tag/i.test(place.field)) found.tags.add(text);
  if (text.includes("{{")) found.templates.push({ ...place, text });
  else if (releaseImageField.test(place.field) && text !== "") found.releases.add(text);
  else if (isIndex(place) && text !== "") found.catalogs.add(text);
}

function addRelease({ image = "", version }: UnknownRecord, { releases, versions }: Found): void {
  if (typeof image === "string" && image !== "" && !image.includes("{{")) releases.add(image);
  else if (typeof version === "string" && isVersion(version)) versions.add(version);
}

function addLines(raw: string, found: Found): void {
  for (const line of raw.replaceAll(silentAction, "").split("\n")) {
    const [, field = "", text = ""] =
      /^[\s-]{0,200}(?:["']?([\w./-]{1,200})["']?:\s{1,99})?["']?([^\n]*)$/.exec(line) ?? [];
    const value = text.replace(/["'\s]{1,99}$/, "");
    addText(value, { ...nowhere, field }, found);
    if (field === "version") addRelease({ version: value }, found);
  }
}

function addNames(value: unknown, place: Place, found: Found): void {
  const { field, parent } = place;
  if (typeof value === "string")
    if (field === "object-templates-raw") addLines(value, found);
    else addText(value, place, found);
  else if (Array.isArray(value)) {
    const isHistory = /history$/i.test(field);
    for (const { version } of isHistory ? objectsOf(value) : []) found.past.add(String(version));
    for (const item of isHistory ? recentOf(value) : value) addNames(item, place, found);
  } else if (isRecord(value)) {
    const kind = textOf(value.kind) ?? place.kind;
    // Conditional updates are only offered, so registries need not have these releases.
    if (releaseField.test(field) && parent !== "conditionalUpdates") addRelease(value, found);
    // `version` is the release of a seed image or node pool; the label `openshiftVersion` is the release of a cluster.
    if (field === "seedImageRef" || (field === "status" && kind === kinds.NodePool.kind))
      addRelease({ version: value.version }, found);
    if (field === "labels") addRelease({ version: value.openshiftVersion }, found);
    for (const [name, one] of Object.entries(value)) {
      if (name.includes("{{")) addText(name, { field: "", parent, kind }, found);
      addNames(one, { field: name, parent: field, kind }, found);
    }
  }
}

/** Undefined means that the template may name any image; an empty object means that it names none. */
function nameableBy({ text, ...place }: Template): (Omit<Kept, "reason"> & { what?: string }) | undefined {
  const { field, parent, kind } = place;
  const [literal = ""] = text.split("{{");
  const releases = (start: string) => ({
    what: sentence`releases ${start}*`,
    hasRelease: (version = start) => version.startsWith(start),
  });
  if (printsFields.test(text)) return undefined;
  if (field === "version") return releases(literal);
  if (releaseImageField.test(field) || (field === "image" && releaseField.test(parent))) return releases("");
  if (isIndex(place)) return { what: "catalogs", catalogs: true };
  const [, repository] =
    /^([\w.-]{1,253}(?::\d{1,5})?\/[\w./-]{1,255})(?::|@)[^/]{0,200}$/.exec(literal) ?? [];
  const isOneImage = /^[\w./:@-]+$/.test(text.replaceAll(/\{\{[^{}]*\}\}/g, ""));
  if (isOneImage && repository) {
    const named = { what: sentence`images of ${repository}`, repository };
    return repository.includes("release") ? { ...releases(""), ...named } : named;
  }
  const isImageless = imagelessField.test(field) && kind !== "DockerImage";
  return isImageless || selectingField.test(parent) ? {} : undefined;
}

function before({ major, minor }: Release, count: number): Release {
  return minor < count ? { major: major - 1, minor: 0 } : { major, minor: minor - count };
}

/** Returns what to keep for an object that does not report what it runs, such as an object from git. */
function neededUnseen(object: KubernetesObject, info: KubernetesObject | undefined): readonly Kept[] {
  const isCluster = isOfAnyVersion(kinds.ManagedCluster, object);
  const { distributionInfo } = fieldsOf(info?.status);
  const status = fieldsOf(isCluster ? fieldsOf(distributionInfo).ocp : object.status);
  const history = status.versionHistory ?? status.history ?? fieldsOf(status.version).history;
  const isAway = isCluster && conditionOf(object, "ManagedClusterConditionAvailable")?.status !== "True";
  const isReporting = isOfAnyVersion(kinds.NodePool, object) ? status.version : objectsOf(history).length > 0;
  if (isReporting && !isAway) return [];
  const known = [object.metadata.labels?.openshiftVersion, isCluster ? textOf(status.version) : undefined];
  const [oldest] = known.flatMap((one) => parseRelease(one) ?? []).sort(compareReleases);
  // Nodes of a paused pool are at most two minor versions behind.
  const since = before(oldest ?? { major: 0, minor: 0 }, 2);
  const which = oldest ? sentence`release from ${since.major}.${since.minor} on` : "release";
  const reason = sentence`${displayName(referenceTo(object))} does not report what it runs: it may be every ${which}`;
  const hasRelease = (one?: string) => compareReleases(parseRelease(one) ?? since, since) >= 0;
  return [{ reason, hasRelease, catalogs: true }];
}

/** Returns what a fleet's objects name, so that registries must keep it. `held` are objects inside other objects. */
export function needsOf(objects: readonly KubernetesObject[], held: readonly KubernetesObject[] = []): Needs {
  const found: Found = {
    digests: new Set(),
    tags: new Set(["latest"]),
    releases: new Set(),
    versions: new Set(),
    catalogs: new Set(),
    past: new Set(),
    templates: [],
  };
  const runs = objects.filter(hasNodes);
  const all = objects.filter((one) => isOfAnyVersion(kinds.ManagedClusterInfo, one));
  const infos = new Map(all.map((info) => [info.metadata.name, info]));
  const kept = runs.flatMap((one) => neededUnseen(one, infos.get(one.metadata.name)));
  const unknown = new Set<string>();
  if (runs.every((one) => isOfAnyVersion(kinds.NodePool, one)))
    unknown.add("no ClusterVersion, ManagedCluster or HostedCluster is given, so that no cluster is known");
  const policies = new Set(objects.filter(({ apiVersion }) => /^policy\.open-cluster-/.test(apiVersion)));
  const copied = new Set([...policies].map(({ metadata }) => metadata.name));
  for (const object of [...objects, ...held]) {
    const templates: Template[] = [];
    addNames(object, nowhere, { ...found, templates });
    // The hub resolves a policy's templates in a copy for each cluster. If copies exist, only their templates count.
    const isCopied = copied.has(`${object.metadata.namespace}.${object.metadata.name}`);
    for (const template of policies.has(object) && !isCopied ? templates : []) {
      const { what, ...images } = nameableBy(template) ?? { what: "any image" };
      const reason = sentence`${displayName(referenceTo(object))} has a template in ${template.field || "its text"}, which may name ${what ?? ""}`;
      if (Object.keys(images).length > 0) kept.push({ ...images, reason });
      else if (what) unknown.add(reason);
    }
  }
  const ran = [...found.past, ...found.versions].flatMap((one) => parseRelease(one) ?? []);
  const [first] = ran.sort(compareReleases);
  // For a hosted cluster, HyperShift also uses the catalogs of some earlier releases.
  const back = runs.some((one) => isOfAnyVersion(kinds.HostedCluster, one)) ? searchedReleases - 1 : 0;
  return { ...found, oldest: first && before(first, back), kept, unknown: [...unknown] };
}
