import { dirname, relative } from "node:path";
import { hubFolder } from "#shared/adapters/settings/hub-location.ts";
import { absentPoolConfigs, asPoolsHave } from "#shared/domain/hosted-clusters/nodes/pool-config.ts";
import type { Enforced, Unread } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { isOneOf, type Kind, type KubernetesObject, kindOf } from "#shared/domain/kubernetes/object.ts";
import { type ManifestText, withPlaces } from "#shared/domain/manifests/issue-places.ts";
import type { DamagedObject, LocatedObject, ReadManifests } from "#shared/domain/manifests/located-object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { mirrorSetsOf } from "#shared/domain/mirrors/input/assisted-mirrors.ts";
import { withPolicies } from "#shared/domain/precache-plan/policy-enforcement.ts";
import { type ClusterSide, identityOf, type NamedCluster, sidesOf, type Tree } from "./clusters/sides.ts";
import { manifestsOfHub, type PlaceIssues, withoutPlaces } from "./hub-manifests.ts";
import { readStdin, type Source } from "./input-text.ts";
import { readLiveHub } from "./live-hub.ts";
import { readTexts, type Sources } from "./manifest-texts.ts";
import { atOrigins, atValues } from "./rendered/rendered-origins.ts";
import { type Repository, repositoryOf } from "./repository/repository.ts";
import type { ProposedCluster } from "./repository/several-clusters.ts";
import { proposedClusters, severalClusters } from "./repository/several-clusters.ts";

type Clusters = Pick<Repository, "clusters" | "pathOf" | "nameOf">;

/** The objects of one cluster, and a function that adds files and lines to their issues. */
export type PlacedSide = Omit<ClusterSide, "objects" | "alone" | "conflict"> &
  Readonly<{
    objects: readonly KubernetesObject[];
    /** Other definitions of these objects, or all objects if their cluster is unknown. Each is checked by itself. */
    alone: readonly Readonly<{ object: KubernetesObject; place: PlaceIssues }>[];
    /** The objects of `objects` and `alone`, with their files if they have any. */
    located: ManifestsOrHub["located"];
    damaged: readonly DamagedObject[];
    /** A warning that the objects may belong to several clusters; absent if they belong to one. */
    several?: Issue;
    place: PlaceIssues;
  }>;

/** The objects of manifests or of a hub. */
export type ManifestsOrHub = Readonly<{
  objects: readonly KubernetesObject[];
  /** `objects` with their files. Objects of a hub have no `file`. */
  located: readonly Readonly<{ object: KubernetesObject; file?: string }>[];
  issues: readonly Issue[];
  damaged: readonly DamagedObject[];
  /** The number of documents that are not objects of a hub. */
  ignored: number;
  place: PlaceIssues;
  /** Objects inside other objects, such as the objects in a Policy. */
  embedded: readonly Pick<LocatedObject, "object" | "within">[];
  /** Returns the objects of each cluster. Only for objects of `kinds`, different definitions are issues. */
  sides(kinds: readonly Kind[]): readonly PlacedSide[];
  /** The number of files that were read; undefined for a hub. */
  files: number | undefined;
  texts: readonly ManifestText[];
  /** Parts of files that are not read, or objects on a hub that the caller has no permission to read. */
  unread: readonly Unread[];
  /** Returns the path of a file as reports show it. */
  nameOf(file: string): string;
  /** Returns the files from which an object is made. For a rendered object, the files of its patches come first. */
  filesOf(object: KubernetesObject): readonly string[];
  enforced: readonly Enforced[];
}>;

/** The objects of manifests. */
export type ReadObjects = Omit<ManifestsOrHub, "located" | "sides"> &
  Readonly<{
    located: readonly LocatedObject[];
    tree: Tree;
    /** Returns the objects of each cluster. By default, `clusters` are those in the settings that have files here. */
    sides(kinds: readonly Kind[], clusters?: readonly NamedCluster[]): readonly PlacedSide[];
    proposed(kinds: readonly Kind[]): readonly ProposedCluster[];
  }>;

function readSource({ file, text, isInFolder = false, isInput }: Source): ReadManifests {
  if (isInput) return { objects: [], issues: [], ignored: 1 };
  return readManifests(text, file, { isInFolder, readsEmbedded: true, readRegistriesConf: mirrorSetsOf });
}

const noClusters: Clusters = { clusters: [], pathOf: (file) => file, nameOf: (file) => file };

function treeOf(
  sources: readonly Source[],
  objects: readonly LocatedObject[],
  embedded: readonly LocatedObject[],
  { clusters, pathOf }: Clusters,
): Tree {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  return {
    objects,
    embedded,
    folderOf: (file) => byFile.get(file)?.directory ?? dirname(file),
    pathBelow: (file) => relative(byFile.get(file)?.folder ?? dirname(file), file),
    pathOf,
    clusters,
  };
}

/** Reads the objects in these texts. Errors in a text become issues. */
export function readObjects({ sources, issues, hidden = [] }: Sources, clusters = noClusters): ReadObjects {
  const ofSources = sources.map(readSource);
  const { read, enforced } = withPolicies(ofSources, sources);
  const objects = read.flatMap((one) => one.objects);
  const damaged = read.flatMap((one) => one.damaged ?? []);
  const held = read.flatMap((one) => one.embedded ?? []);
  const all = [...objects, ...held].map(({ object }) => object);
  const embedded = asPoolsHave(held, all);
  const ofFiles = [...issues, ...read.flatMap((one) => one.issues)];
  const origins = sources.flatMap(({ file, origins: own }) => (own ? [[file, own] as const] : []));
  const allTexts = [...sources, ...origins.flatMap(([, own]) => own.texts)];
  const texts = [...new Map(allTexts.map((one) => [one.file, one])).values()];
  const finders = new Map(origins.map(([file, own]) => [file, atOrigins(own)]));
  const placeIn = (found: readonly Issue[], located: readonly LocatedObject[]) =>
    origins.reduce(
      (issues, [, own]) => atValues(issues, own),
      withPlaces(
        found,
        located.flatMap((one) => finders.get(one.file)?.(one) ?? one),
        texts,
      ),
    );
  const byObject = new Map([...objects, ...embedded, ...damaged].map((one) => [one.object, one]));
  const filesOf = (object: KubernetesObject) => {
    const one = byObject.get(object);
    return one ? (finders.get(one.file)?.(one) ?? [one]).map(({ file }) => file) : [];
  };
  const tree = treeOf(sources, objects, embedded, clusters);
  const last = new Map(objects.map((one) => [identityOf(one), one]));
  const located = objects.filter((one) => !kindOf(one.object) || last.get(identityOf(one)) === one);
  const proposed = (kinds: readonly Kind[]) => proposedClusters(tree, isOneOf(kinds));
  const placed = (side: ClusterSide, kinds: readonly Kind[]): PlacedSide => {
    const { conflict, ...rest } = side;
    const several = conflict && severalClusters(conflict, proposed(kinds), tree.pathOf);
    const isOwn = ({ file = "" }: Readonly<{ file?: string }>) =>
      !side.named || side.named.has(file) || !tree.clusters.some(({ has }) => has(file));
    // An issue is placed at the last definition that has the issue's value.
    const located = [...side.alone, ...side.objects];
    return {
      ...rest,
      ...(several ? { several } : {}),
      objects: side.objects.map(({ object }) => object),
      alone: side.alone.map((one) => ({
        object: one.object,
        place: (found) => placeIn(found, [one]),
      })),
      located,
      issues: [...ofFiles.filter(isOwn), ...(several ? [several] : []), ...side.issues],
      damaged: side.origin === "files" ? damaged.filter(isOwn) : [],
      place: (found) => placeIn(found, [...located, ...damaged]),
    };
  };
  return {
    objects: located.map(({ object }) => object),
    located,
    nameOf: clusters.nameOf,
    filesOf,
    issues: ofFiles,
    tree,
    sides: (kinds, named) => sidesOf(tree, isOneOf(kinds), named).map((side) => placed(side, kinds)),
    proposed,
    embedded,
    damaged,
    ignored: read.reduce((sum, one) => sum + (one.ignored ?? 0), 0),
    place: (found) => placeIn(found, [...objects, ...damaged]),
    files: sources.length,
    unread: withoutRepeats([
      ...read.flatMap(({ unread = [], ignored = 0 }, index): readonly Unread[] => {
        const file = sources[index]?.file ?? "";
        const what = clusters.nameOf(file);
        const found = unread.map((one) => (one.what === file ? { ...one, what } : one));
        return ignored > 0 ? [...found, { what, why: "document", count: ignored }] : found;
      }),
      ...hidden.map((folder) => ({ what: clusters.nameOf(folder), why: "hidden", count: 1 }) as const),
      ...absentPoolConfigs(all),
    ]),
    enforced,
    texts,
  };
}

type Settings = Clusters & Pick<Repository, "reading">;

/** With these settings, reading throws if a folder cannot be rendered. */
async function workingSettings(): Promise<Settings> {
  const { reading, ...repository } = await repositoryOf();
  return { ...repository, reading: { ...reading, isCheck: false } };
}

/** Reads the objects in the paths of `-f`. */
export async function readSources(
  paths: readonly string[],
  stdin: () => Promise<string> = readStdin,
  settings?: Settings,
): Promise<ReadObjects> {
  const chosen = settings ?? (await workingSettings());
  return readObjects(await readTexts(paths, stdin, chosen.reading), chosen);
}

/** Returns a function that adds files and lines to issues if a folder acts as the hub. */
export async function placesOnHub(): Promise<PlaceIssues> {
  const folder = hubFolder(process.env);
  return folder === undefined ? withoutPlaces : (await readSources([folder])).place;
}

/** Returns the objects in the paths of `-f` or, without `-f`, the objects of these kinds on the live hub. */
export async function manifestsOrHub(
  paths: readonly string[] | undefined,
  kinds: readonly Kind[],
  optional: readonly Kind[] = [],
  settings?: Settings,
): Promise<ManifestsOrHub> {
  if (paths) return readSources(paths, readStdin, settings);
  return manifestsOfHub(await readLiveHub(kinds, optional), await placesOnHub());
}
