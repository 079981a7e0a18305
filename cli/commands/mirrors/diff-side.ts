import { stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { inputKinds } from "#functions/mirror-config/watches.ts";
import { drainOverride, imageModeKinds } from "#shared/domain/diff/node-cost/disruption-policy.ts";
import { type Enforced, type Unread, unreadOfAll } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";
import { chosenSide, noSide, sideName, sidesFor } from "../../io/clusters/cluster-sides.ts";
import { isIn } from "../../io/clusters/sides.ts";
import type { PlaceIssues } from "../../io/hub-manifests.ts";
import { readStdin } from "../../io/input-text.ts";
import { readLiveHub } from "../../io/live-hub.ts";
import { type PlacedSide, placesOnHub, type ReadObjects, readObjects } from "../../io/manifest-source.ts";
import { readTexts } from "../../io/manifest-texts.ts";
import type { ChangedRepository, Repository } from "../../io/repository/repository.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { type RenderedFolder, renderedBy, renderedFolder } from "../../program/rendered-argument.ts";

/** What one cluster has on one side of `hubrelay diff`. */
export type GivenSide = Readonly<{
  objects: readonly KubernetesObject[];
  issues: readonly Issue[];
  place: PlaceIssues;
  origin?: PlacedSide["origin"];
}>;

/** A cluster on both sides, with its release if settings have it; the name is empty where there is one. */
export type ComparedCluster = Readonly<{
  name: string;
  before: GivenSide;
  after: GivenSide;
  release?: string | undefined;
  /** The objects of several clusters that the settings do not name: each is compared by itself. */
  several?: Readonly<{ issue: Issue; before: PlacedSide["alone"]; after: PlacedSide["alone"] }>;
}>;

/** What both sides are known not to have read. */
export type Compared = Readonly<{
  unread: readonly Unread[];
  /** The policies of both sides that only inform, and are enforced. */
  enforced: readonly Enforced[];
  /** A side has all objects of a hub. */
  isWhole: boolean;
}>;

/** The clusters on both sides, with all of their files. */
export type ComparedClusters = Compared &
  Readonly<{
    clusters: readonly ComparedCluster[];
    /** The issues of each side's files that are of no cluster, where there are several. */
    ofFiles: Sides<readonly Issue[]>;
    texts: Sides<readonly ManifestText[]>;
  }>;

type Sides<One> = Readonly<{ before: One; after: One }>;

/** An argument of `hubrelay diff`: manifests, which may be of several clusters, or the hub. */
type Argument = Partial<Compared> & (GivenSide | Readonly<{ read: ReadObjects }>);

/** What a live hub is read for: the nodes' files, and the mirrors of hosted clusters' nodes. */
const sideKinds = [...inputKinds, kinds.HostedCluster, kinds.NodePool];

/** Kinds that decide what changes, and what that costs. */
export const decisiveKinds: readonly Kind[] = [...sideKinds, kinds.MachineConfig, ...imageModeKinds];

/** Reads what programs make of folders in a checkout; those that it lacks are in the other one. */
async function readRendered(
  checkout: string,
  folders: readonly RenderedFolder[],
  repository: Repository,
): Promise<Argument> {
  const there: string[] = [];
  for (const given of folders) {
    const folder = join(checkout, given.folder);
    if (await isFolder(folder)) there.push(renderedBy({ ...given, folder }));
  }
  const { sources, ...texts } = await readTexts(there, readStdin, repository.reading);
  const placed = sources.map((source) => ({ ...source, folder: checkout }));
  const read = readObjects({ ...texts, sources: placed }, repository);
  return { read, unread: read.unread, enforced: read.enforced };
}

const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

/** Throws `UsageError` where the sides are no checkouts with folders to render. */
async function requireCheckouts(sides: readonly string[], folders: readonly RenderedFolder[]): Promise<void> {
  for (const side of sides)
    if (!(await isFolder(side)))
      throw new UsageError(
        `${side} is not a folder. With -k or --helm each side is one, in which the folder is rendered.`,
      );
  for (const { folder } of folders) {
    const found = await Promise.all(sides.map((side) => isFolder(join(side, folder))));
    if (!found.includes(true)) throw new UsageError(`${folder} is in neither ${sides.join(" nor ")}.`);
  }
}

async function readArgument(path: string, repository: Repository): Promise<Argument> {
  if (path === "hub") {
    const hub = await readLiveHub(sideKinds, [kinds.MachineConfig, ...imageModeKinds], drainOverride);
    return { ...hub, issues: [], place: await placesOnHub(), isWhole: true };
  }
  const read = readObjects(await readTexts([path], readStdin, repository.reading), repository);
  return { read, unread: read.unread, enforced: read.enforced };
}

const ofOneCluster = (argument: Argument): GivenSide =>
  "read" in argument ? chosenSide(argument.read, decisiveKinds) : argument;

/** Returns each cluster of one of the trees, with its side in both. */
function comparedClusters(old: ReadObjects, now: ReadObjects): readonly ComparedCluster[] {
  const present = new Set(
    [old.tree, now.tree].flatMap((tree) =>
      tree.clusters.filter((one) => isIn(tree, one)).map(({ name }) => name),
    ),
  );
  const namesIn = ({ tree }: ReadObjects) => tree.clusters.filter(({ name }) => present.has(name));
  const before = old.sides(decisiveKinds, namesIn(old));
  const after = now.sides(decisiveKinds, namesIn(now));
  const chosen = new Map(sidesFor([...after, ...before], decisiveKinds).map((side) => [side.key, side.name]));
  const keys = [...new Set([...before, ...after].map(({ key }) => key))].filter((key) => chosen.has(key));
  return keys.map((key) => {
    const [was, is] = [before, after].map((sides) => sides.find((side) => side.key === key));
    const issue = [is, was].find((side) => !side?.named && side?.several)?.several;
    const release = is?.named?.release ?? was?.named?.release;
    return {
      name: keys.length > 1 ? sideName(chosen.get(key) ?? "") : "",
      before: was ?? noSide,
      after: is ?? noSide,
      release,
      ...(issue ? { several: { issue, before: eachOf(was), after: eachOf(is) } } : {}),
    };
  });
}

/** Returns every object of a side by itself. */
const eachOf = (side: PlacedSide | undefined): PlacedSide["alone"] =>
  side ? [...side.objects.map((object) => ({ object, place: side.place })), ...side.alone] : [];

/**
 * Reads both sides, each a file or directory of manifests, `-` for standard input, or `hub` for the live hub (a folder of that name is `./hub`). With `rendered`, arguments of `-k` and `--helm`, the sides
 * are two checkouts in which these folders are rendered. Clusters that the settings name are compared one by one. Throws
 * `UsageError` for a path that cannot be read, and where several clusters would be compared with a hub.
 */
export async function readClusters(
  before: string,
  after: string,
  repositories: Pick<ChangedRepository, "before" | "after">,
  rendered: readonly string[] = [],
): Promise<ComparedClusters> {
  const folders = rendered.flatMap((argument) => renderedFolder(argument) ?? []);
  if (folders.length > 0) await requireCheckouts([before, after], folders);
  const argument = (side: string, repository: Repository) =>
    folders.length > 0 ? readRendered(side, folders, repository) : readArgument(side, repository);
  const old = await argument(before, repositories.before);
  const now = await argument(after, repositories.after);
  const textsOf = (side: Argument) => ("read" in side ? side.read.texts : []);
  const compared = {
    unread: unreadOfAll([old.unread ?? [], now.unread ?? []]),
    enforced: [...(old.enforced ?? []), ...(now.enforced ?? [])],
    isWhole: old.isWhole === true || now.isWhole === true,
    texts: { before: textsOf(old), after: textsOf(now) },
  };
  const clusters = "read" in old && "read" in now ? comparedClusters(old.read, now.read) : [];
  if (clusters.length === 0) {
    const one = { name: "", before: ofOneCluster(old), after: ofOneCluster(now) };
    return { ...compared, clusters: [one], ofFiles: { before: [], after: [] } };
  }
  const isOfNone = (issue: Issue) =>
    !clusters.some((one) => [one.before, one.after].some((side) => side.issues.includes(issue)));
  const ofFiles = (side: Argument) => ("read" in side ? side.read.issues.filter(isOfNone) : []);
  return { ...compared, clusters, ofFiles: { before: ofFiles(old), after: ofFiles(now) } };
}

/** Returns issues of the old side with the names that their files have on the new one. */
export function asOnNewSide(issues: readonly Issue[], before: string, after: string): readonly Issue[] {
  const moved = (file: string): string => {
    const below = relative(before, file);
    return below.startsWith("..") || isAbsolute(below) ? file : join(after, below);
  };
  return issues.map((issue) => {
    const { object, file } = issue;
    const about = object.kind === "File" ? { ...object, name: moved(object.name) } : object;
    return { ...issue, object: about, ...(file === undefined ? {} : { file: moved(file) }) };
  });
}
