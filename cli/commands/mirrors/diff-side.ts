import { stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { inputKinds } from "#functions/mirror-config/watches.ts";
import { drainOverride, imageModeKinds } from "#shared/domain/diff/node-cost/disruption-policy.ts";
import { type Enforced, type Unread, unreadOfAll } from "#shared/domain/issues/coverage.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";
import { chosenSide, sideName, sidesFor } from "../../io/clusters/cluster-sides.ts";
import { isIn } from "../../io/clusters/sides.ts";
import { type PlaceIssues, withoutPlaces } from "../../io/hub-manifests.ts";
import { readStdin } from "../../io/input-text.ts";
import { readLiveHub } from "../../io/live-hub.ts";
import { type PlacedSide, placesOnHub, type ReadObjects, readObjects } from "../../io/manifest-source.ts";
import { readTexts } from "../../io/manifest-texts.ts";
import type { ChangedRepository, Repository } from "../../io/repository/repository.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { type RenderedFolder, renderedBy, renderedFolder } from "../../program/rendered-argument.ts";

/** One cluster's objects on one side of `hubrelay diff`. */
export type GivenSide = Readonly<{
  objects: readonly KubernetesObject[];
  issues: readonly Issue[];
  place: PlaceIssues;
  origin?: PlacedSide["origin"];
}>;

/** One cluster on both sides. `name` is empty if there is only one cluster. */
export type ComparedCluster = Readonly<{
  name: string;
  before: GivenSide;
  after: GivenSide;
  release?: string | undefined;
  /** Present if the objects may belong to several clusters that have no names. Each object is then compared alone. */
  several?: Readonly<{ issue: Issue; before: PlacedSide["alone"]; after: PlacedSide["alone"] }>;
}>;

/** The coverage of both sides together. */
export type Compared = Readonly<{
  unread: readonly Unread[];
  /** OCM Policies that only inform, but are treated as enforced. */
  enforced: readonly Enforced[];
  /** True if one of the sides has all objects of a hub. */
  isWhole: boolean;
}>;

/** The clusters on both sides. */
export type ComparedClusters = Compared &
  Readonly<{
    clusters: readonly ComparedCluster[];
    /** The issues of files that belong to no cluster; empty if there is only one cluster. */
    ofFiles: Sides<readonly Issue[]>;
    texts: Sides<readonly ManifestText[]>;
  }>;

type Sides<One> = Readonly<{ before: One; after: One }>;

type Argument = Partial<Compared> & (GivenSide | Readonly<{ read: ReadObjects }>);

const sideKinds = [...inputKinds, kinds.HostedCluster, kinds.NodePool];

/** Kinds of objects that are read to find the changes and their cost. */
export const decisiveKinds: readonly Kind[] = [...sideKinds, kinds.MachineConfig, ...imageModeKinds];

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
  const reading = { ...repository.reading, isSide: true };
  const read = readObjects(await readTexts([path], readStdin, reading), repository);
  return { read, unread: read.unread, enforced: read.enforced };
}

const ofOneCluster = (argument: Argument): GivenSide =>
  "read" in argument ? chosenSide(argument.read, decisiveKinds) : argument;

const noSide: GivenSide = { objects: [], issues: [], place: withoutPlaces };

const keyOf = ({ origin, name, named }: PlacedSide): string =>
  `${origin} ${origin === "guest" || origin === "installer" ? name : (named?.name ?? "")}`;

function comparedClusters(old: ReadObjects, now: ReadObjects): readonly ComparedCluster[] {
  const present = new Set(
    [old.tree, now.tree].flatMap((tree) =>
      tree.clusters.filter((one) => isIn(tree, one)).map(({ name }) => name),
    ),
  );
  const namesIn = ({ tree }: ReadObjects) => tree.clusters.filter(({ name }) => present.has(name));
  const before = old.sides(decisiveKinds, namesIn(old));
  const after = now.sides(decisiveKinds, namesIn(now));
  const chosen = new Map(
    sidesFor([...after, ...before], decisiveKinds).map((side) => [keyOf(side), side.name]),
  );
  const keys = [...new Set([...before, ...after].map(keyOf))].filter((key) => chosen.has(key));
  return keys.map((key) => {
    const [was, is] = [before, after].map((sides) => sides.find((side) => keyOf(side) === key));
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

const eachOf = (side: PlacedSide | undefined): PlacedSide["alone"] =>
  side ? [...side.objects.map((object) => ({ object, place: side.place })), ...side.alone] : [];

/** Reads both sides, each from manifests or the live hub. With `rendered`, reads these folders of two checkouts. */
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

/** Returns the issues with changed names of files: the folder `before` at the start of a name becomes `after`. */
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
