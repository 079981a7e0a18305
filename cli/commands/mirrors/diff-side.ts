import { stat } from "node:fs/promises";
import { join } from "node:path";
import { inputKinds } from "#functions/mirror-config/watches.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { NodeFile } from "#shared/domain/machine-config/node-file.ts";
import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";
import { drainOverride, imageModeKinds } from "#shared/domain/node-cost/release-effects.ts";
import { type Enforced, type Unread, unreadOfAll } from "#shared/domain/result-coverage/coverage.ts";
import { chosenSide, comparedSides } from "../../io/clusters/cluster-sides.ts";
import { sidesOfEach } from "../../io/clusters/sides.ts";
import { readStdin } from "../../io/input-text.ts";
import { readLiveHub } from "../../io/live-hub.ts";
import { type PlaceIssues, type ReadObjects, readObjects, withoutPlaces } from "../../io/manifest-source.ts";
import { type Reading, readTexts, readTextsAndNodeFiles } from "../../io/manifest-texts.ts";
import type { Repository } from "../../io/repository/repository.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { type RenderedFolder, renderedBy, renderedFolder } from "../../program/rendered-argument.ts";

/** What one cluster has on one side of `hubrelay diff`: objects to render, or files of a node. */
export type GivenSide =
  | Readonly<{ objects: readonly KubernetesObject[]; issues: readonly Issue[]; place: PlaceIssues }>
  | Readonly<{ files: readonly NodeFile[]; paths: ReadonlySet<string> | undefined }>;

/** A cluster on both sides, with its release if settings have it; the name is empty where there is one. */
export type ComparedCluster = Readonly<{
  name: string;
  before: GivenSide;
  after: GivenSide;
  release?: string | undefined;
}>;

/** What both sides are known not to have read. */
export type Compared = Readonly<{
  unread: readonly Unread[];
  /** The policies of both sides that only inform, and are enforced. */
  enforced: readonly Enforced[];
  /** A side has all objects of a hub. */
  isWhole: boolean;
}>;

/** The clusters on both sides, with all files of the new one. */
type ComparedClusters = Compared &
  Readonly<{
    clusters: readonly ComparedCluster[];
    /** The issues of files that are of no cluster, where there are several. */
    ofFiles: readonly Issue[];
    texts: readonly ManifestText[];
  }>;

/** An argument of `hubrelay diff`; manifests in a folder, or inside others, may be of several clusters. */
type Argument = Partial<Compared> & (GivenSide | Readonly<{ read: ReadObjects; mayBeSeveral: boolean }>);

/** What a live hub is read for: the nodes' files, and the mirrors of hosted clusters' nodes. */
const sideKinds = [...inputKinds, kinds.HostedCluster, kinds.NodePool];

/** Kinds that decide what changes, and what that costs. */
export const decisiveKinds: readonly Kind[] = [...sideKinds, kinds.MachineConfig, ...imageModeKinds];

/** Reads what programs make of folders in a checkout; those that it lacks are in the other one. */
async function readRendered(
  checkout: string,
  folders: readonly RenderedFolder[],
  reading: Reading,
): Promise<Argument> {
  const there: string[] = [];
  for (const { program, folder: below } of folders) {
    const folder = join(checkout, below);
    if (await isFolder(folder)) there.push(renderedBy({ program, folder }));
  }
  const { sources, ...texts } = await readTexts(there, readStdin, reading);
  const read = readObjects({ ...texts, sources: sources.map((source) => ({ ...source, folder: checkout })) });
  return { read, mayBeSeveral: true, unread: read.unread, enforced: read.enforced };
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

async function readArgument(path: string, reading: Reading): Promise<Argument> {
  if (path === "hub") {
    const hub = await readLiveHub(sideKinds, [kinds.MachineConfig, ...imageModeKinds], drainOverride);
    return { ...hub, issues: [], place: withoutPlaces, isWhole: true };
  }
  const { texts, nodeFiles, isWholeNode } = await readTextsAndNodeFiles([path], reading);
  if (isWholeNode || nodeFiles.length > 0)
    return { files: nodeFiles, paths: isWholeNode ? undefined : new Set(nodeFiles.map((file) => file.path)) };
  const read = readObjects(texts);
  const mayBeSeveral = (await isFolder(path)) || read.embedded.length > 0;
  return { read, mayBeSeveral, unread: read.unread, enforced: read.enforced };
}

const ofOneCluster = (argument: Argument): GivenSide =>
  "read" in argument ? chosenSide(argument.read, decisiveKinds) : argument;

/**
 * Reads both sides, each a file or directory of manifests, a folder of a node, one file of a node, `-` for standard input,
 * or `hub` for the live hub (a folder of that name is `./hub`). With `rendered`, arguments of `-k` and `--helm`, the sides
 * are two checkouts in which these folders are rendered. Manifests of several clusters are compared cluster by cluster.
 * Throws `UsageError` for a path that cannot be read, and where several clusters would be compared with one.
 */
export async function readClusters(
  before: string,
  after: string,
  { reading, clusters: named }: Pick<Repository, "reading" | "clusters">,
  rendered: readonly string[] = [],
): Promise<ComparedClusters> {
  const folders = rendered.flatMap((argument) => renderedFolder(argument) ?? []);
  if (folders.length > 0) await requireCheckouts([before, after], folders);
  const argument = (side: string) =>
    folders.length > 0 ? readRendered(side, folders, reading) : readArgument(side, reading);
  const old = await argument(before);
  const now = await argument(after);
  const sides = [old, now].flatMap((side) => ("read" in side ? [side.read] : []));
  const ofOneNamed =
    named.filter(({ has }) =>
      sides.some(({ tree }) => [...tree.objects, ...tree.embedded].some(({ file }) => has(file))),
    ).length === 1;
  const compared = {
    unread: unreadOfAll([old.unread ?? [], now.unread ?? []]),
    enforced: [...(old.enforced ?? []), ...(now.enforced ?? [])],
    isWhole: old.isWhole === true || now.isWhole === true,
    texts: "read" in now ? now.read.texts : [],
  };
  const mayBeSeveral = [old, now].every((side) => "read" in side && side.mayBeSeveral);
  if (!("read" in old && "read" in now && (mayBeSeveral || ofOneNamed)))
    return {
      ...compared,
      clusters: [{ name: "", before: ofOneCluster(old), after: ofOneCluster(now) }],
      ofFiles: [],
    };
  const [oldSides = [], newSides = []] = sidesOfEach([
    { ...old.read.tree, named },
    { ...now.read.tree, named },
  ]);
  const placed = [old.read.placed(oldSides), now.read.placed(newSides)] as const;
  const clusters = comparedSides(...placed, decisiveKinds).map((one) => ({
    ...one,
    release: (one.after.named ?? one.before.named)?.release,
  }));
  const isOfNone = (issue: Issue) =>
    !clusters.some(({ after: side }) => "issues" in side && side.issues.includes(issue));
  return { ...compared, clusters, ofFiles: now.read.ofFiles.filter(isOfNone) };
}
