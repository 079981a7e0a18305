import { dirname, resolve, sep } from "node:path";
import {
  absentPoolConfigs,
  asPoolsHave,
  poolConfigField,
  poolConfigsIn,
} from "#shared/domain/hosted-clusters/nodes/pool-config.ts";
import { type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { displayName, type Kind, type KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { NodeFile } from "#shared/domain/machine-config/node-file.ts";
import { mirrorSetsOf } from "#shared/domain/manifests/assisted-mirrors.ts";
import { type ManifestText, withPlaces } from "#shared/domain/manifests/issue-places.ts";
import type { DamagedObject, LocatedObject, ReadManifests } from "#shared/domain/manifests/located-object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { withPolicies } from "#shared/domain/precache/plan/policy-enforcement.ts";
import type { Enforced, Unread } from "#shared/domain/result-coverage/coverage.ts";
import { definedOnce, identityOf } from "./clusters/defined-once.ts";
import { type ClusterSide, type NamedCluster, sidesOf, type Tree } from "./clusters/sides.ts";
import type { ChangeSince } from "./git/changed-since.ts";
import { readStdin, type Source } from "./input-text.ts";
import { readLiveHub } from "./live-hub.ts";
import {
  type Reading,
  readTexts,
  readTextsAndNodeFiles,
  readTextsBefore,
  type Sources,
} from "./manifest-texts.ts";
import { eachWithProgress, type ProgressBar } from "./progress-bar.ts";

/** Adds file, line and column to issues of objects that were read from files. */
export type PlaceIssues = (issues: readonly Issue[]) => readonly Issue[];

/** Issues of a hub's objects have no place in a file. */
export const withoutPlaces: PlaceIssues = (issues) => issues;

export type ReadObjects = Required<Omit<ReadManifests, "embedded" | "unread" | "informing">> &
  Readonly<{
    place: PlaceIssues;
    /** Objects that others hold. */
    embedded: readonly LocatedObject[];
    /** The issues without those of objects that are defined more than once. */
    ofFiles: readonly Issue[];
    /** The same objects and those that others hold, with the folders that they are in. */
    tree: Tree;
    /** Returns sides of the tree with what could not be read of them, and places for issues. */
    placed(sides: readonly ClusterSide[]): readonly PlacedSide[];
    /** Returns the objects of each cluster, of those that settings name if they do, with what others hold, and their own issues. */
    sides(named?: readonly NamedCluster[]): readonly PlacedSide[];
    /** The number of files that were read. */
    files: number;
    /** What the files have that is not read. */
    unread: readonly Unread[];
    /** The policies that only inform, and are enforced. */
    enforced: readonly Enforced[];
    /** Those files. */
    texts: readonly ManifestText[];
  }>;

/** The objects of one cluster; its issues have their places. */
export type PlacedSide = Omit<ClusterSide, "objects"> &
  Readonly<{
    objects: readonly KubernetesObject[];
    /** The same objects, with their files if they have any. */
    located: ManifestsOrHub["located"];
    /** Objects of this cluster that could not be read completely. */
    damaged: readonly DamagedObject[];
    place: PlaceIssues;
  }>;

/** Sets the statuses that a hub has written on the objects that they belong to. */
function withStatuses(objects: readonly LocatedObject[], statuses: readonly Source[]) {
  const read = statuses.map(({ file, text }) => readManifests(text, file));
  const written = new Map(
    read.flatMap((one) => one.objects.map((located) => [identityOf(located), located.object.status])),
  );
  const placed = objects.map((located): LocatedObject => {
    const status = written.get(identityOf(located));
    return status === undefined ? located : { ...located, object: { ...located.object, status } };
  });
  return { objects: placed, issues: read.flatMap(({ issues }) => issues) };
}

/**
 * Returns the folders of a file below the folder of `-f`, or below the one that several of them have in common; of a file that
 * was not read, which an issue names, by its path.
 */
function foldersBelow(sources: readonly Source[]): Tree["foldersOf"] {
  const directories = new Map(
    sources.map(({ file, folder, directory = dirname(file) }) => [
      file,
      folder === undefined ? undefined : stepsOf(directory),
    ]),
  );
  const roots = [...new Set(sources.flatMap(({ folder }) => folder ?? []))].map((folder) => stepsOf(folder));
  const [first = [], ...others] = roots;
  const length = first.findIndex((step, index) => others.some((other) => other[index] !== step));
  const root = length < 0 ? first : first.slice(0, length);
  return (file) => {
    const steps = directories.has(file) ? directories.get(file) : stepsOf(dirname(file));
    return root.every((step, index) => steps?.[index] === step) ? (steps?.slice(root.length) ?? []) : [];
  };
}

const stepsOf = (folder: string): readonly string[] => resolve(folder).split(sep).filter(Boolean);

/** Reports whether what lies in a folder belongs to a side: outside of the folders of others it belongs to each. */
function isOfSide(name: string, folder: string, names: readonly string[]): boolean {
  const contains = (side: string) => side !== "" && `${folder}/`.startsWith(`${side}/`);
  return contains(name) || !names.some(contains);
}

function readSource({ file, text, isInFolder = false, isInput }: Source): ReadManifests {
  if (isInput) return { objects: [], issues: [], ignored: 1 };
  return readManifests(text, file, { isInFolder, readsEmbedded: true, readRegistriesConf: mirrorSetsOf });
}

/** Reads the objects in these texts, each once. Errors inside a file are issues. */
export function readObjects({ sources, statuses = [], issues }: Sources, bar?: ProgressBar): ReadObjects {
  const ofSources = Array.from(eachWithProgress("files read", sources, bar), readSource);
  const { read, enforced } = withPolicies(ofSources, sources);
  const given = read.flatMap((one) => one.objects);
  const { objects, issues: ofStatuses } = withStatuses(given, statuses);
  const damaged = read.flatMap((one) => one.damaged ?? []);
  const held = read.flatMap((one) => one.embedded ?? []);
  const all = [...objects, ...held].map(({ object }) => object);
  const embedded = asPoolsHave(held, all);
  const defined = definedOnce(objects);
  const ofFiles = [...issues, ...read.flatMap((one) => one.issues), ...ofStatuses];
  const tree: Tree = { objects, embedded, foldersOf: foldersBelow(sources) };
  const placed = (sides: readonly ClusterSide[]): readonly PlacedSide[] => {
    const names = sides.map(({ name }) => name);
    return sides.map((side) => {
      const isOwn = ({ file = "" }: Readonly<{ file?: string }>) =>
        side.named
          ? side.named.has(file) || !sides.some(({ named }) => named?.has(file))
          : isOfSide(side.name, tree.foldersOf(file).join("/"), names);
      return {
        ...side,
        objects: side.objects.map(({ object }) => object),
        located: side.objects,
        issues: [...ofFiles.filter(isOwn), ...side.issues],
        damaged: damaged.filter(isOwn),
        place: (found) => withPlaces(found, [...side.objects, ...damaged], sources),
      };
    });
  };
  return {
    objects: defined.objects,
    issues: [...ofFiles, ...defined.issues],
    ofFiles,
    tree,
    placed,
    sides: (named) => placed(sidesOf({ ...tree, ...(named ? { named } : {}) })),
    embedded,
    damaged,
    ignored: read.reduce((sum, one) => sum + (one.ignored ?? 0), 0),
    place: (found) => withPlaces(found, [...objects, ...damaged], sources),
    files: sources.length,
    unread: [
      ...read.flatMap(({ unread = [], ignored = 0 }, index): readonly Unread[] => {
        const document = { what: sources[index]?.file ?? "", why: "document", count: ignored } as const;
        return ignored > 0 ? [...unread, document] : unread;
      }),
      ...absentPoolConfigs(all),
    ],
    enforced,
    texts: sources,
  };
}

/** Reads the objects that `-f` names, in the order of `readTexts`. */
export async function readSources(
  paths: readonly string[],
  stdin: () => Promise<string> = readStdin,
  reading?: Reading,
): Promise<ReadObjects> {
  return readObjects(await readTexts(paths, stdin, reading));
}

export type ManifestsOrHub = Readonly<{
  objects: readonly KubernetesObject[];
  /** The same objects, with their files if they have any. */
  located: readonly Readonly<{ object: KubernetesObject; file?: string }>[];
  issues: readonly Issue[];
  /** Objects that could not be read completely; `issues` has the reasons. */
  damaged: readonly DamagedObject[];
  /** The number of documents that are no object of a hub. */
  ignored: number;
  place: PlaceIssues;
  /** Objects that others hold, such as a Policy. */
  embedded: readonly Pick<LocatedObject, "object" | "within">[];
  /** The issues without those of objects that are defined more than once, which are those of sides. */
  ofFiles: readonly Issue[];
  /** Returns the objects of each cluster: several where settings name them, or folders or policies have different ones. */
  sides(named?: readonly NamedCluster[]): readonly PlacedSide[];
  /** The number of files that were read; undefined for the hub. */
  files: number | undefined;
  /** Those files. */
  texts: readonly ManifestText[];
  /** What the files have that is not read, and what may not be read on the hub. */
  unread: readonly Unread[];
  /** The policies that only inform, and are enforced. */
  enforced: readonly Enforced[];
}>;

type NodeFiles = Readonly<{
  nodeFiles: readonly NodeFile[];
  /** The objects are those of a hub, or the files those of a node's folder: what is not among them does not exist. */
  isWhole: boolean;
}>;

/** Returns what `manifestsOrHub` returns, and the files of a node among what `-f` names. */
export async function manifestsNodeOrHub(
  paths: readonly string[] | undefined,
  kinds: readonly Kind[],
  optional: readonly Kind[] = [],
): Promise<ManifestsOrHub & NodeFiles> {
  if (!paths) return { ...(await manifestsOrHub(undefined, kinds, optional)), nodeFiles: [], isWhole: true };
  const { texts, nodeFiles, isWholeNode } = await readTextsAndNodeFiles(paths);
  return { ...ofManifests(readObjects(texts)), nodeFiles, isWhole: isWholeNode };
}

function ofManifests({ objects: located, tree: _, placed: __, ...read }: ReadObjects): ManifestsOrHub {
  return { ...read, located, objects: located.map(({ object }) => object) };
}

/** Returns issues of objects in a ConfigMap as those of the ConfigMap: the hub has no such objects. */
const placedIn =
  (configMap: KubernetesObject): PlaceIssues =>
  (issues) =>
    issues.map((issue) => ({
      ...issue,
      object: issueObject(configMap),
      path: poolConfigField,
      message: `${displayName(issue.object)} ${issue.path}: ${issue.message}`,
    }));

/** Returns objects of a hub, and as sides of their own what the ConfigMaps of NodePools hold for hosted clusters. */
function ofHub(objects: readonly KubernetesObject[]): Omit<ManifestsOrHub, "unread"> {
  const of = { issues: [], damaged: [] };
  const located = objects.map((object) => ({ object }));
  const side = { ...of, name: "", objects, located, origin: "files", place: withoutPlaces } as const;
  const guests = poolConfigsIn(objects).map(({ configMap, objects: own }) => {
    const within = issueObject(configMap);
    const held = own.map((object) => ({ object, within }));
    const name = displayName(within);
    return { ...of, name, objects: own, located: held, origin: "guest", place: placedIn(configMap) } as const;
  });
  return {
    ...of,
    ofFiles: [],
    embedded: guests.flatMap((guest) => guest.located),
    enforced: [],
    ignored: 0,
    texts: [],
    files: undefined,
    objects,
    located,
    place: withoutPlaces,
    sides: () => [side, ...guests],
  };
}

/** Returns the objects that `-f` names, of any kind; without `-f`, the live hub's objects of these kinds. */
export async function manifestsOrHub(
  paths: readonly string[] | undefined,
  kinds: readonly Kind[],
  optional: readonly Kind[] = [],
  reading?: Reading,
): Promise<ManifestsOrHub> {
  if (!paths) {
    const { objects, unread } = await readLiveHub(kinds, optional);
    return { ...ofHub(objects), unread };
  }
  return ofManifests(await readSources(paths, readStdin, reading));
}

/** Returns the objects that `-f` named before a change. */
export async function manifestsBefore(
  paths: readonly string[],
  change: ChangeSince,
  reading: Reading,
): Promise<ManifestsOrHub> {
  return ofManifests(readObjects(await readTextsBefore(paths, change, reading)));
}
