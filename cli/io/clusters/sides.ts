import { isSameDefinition } from "#shared/adapters/hub/semantics/stored-object.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { someOf } from "#shared/domain/json/values.ts";
import { displayName, kindOf, kinds } from "#shared/domain/kubernetes/object.ts";
import type { LocatedObject } from "#shared/domain/manifests/located-object.ts";
import { definedOnce, identityOf } from "./defined-once.ts";

/** The objects of one cluster, each once. */
export type ClusterSide = Readonly<{
  /** The folder or the object that these objects are from; empty where there is one cluster. */
  name: string;
  objects: readonly LocatedObject[];
  issues: readonly Issue[];
  /** The objects are those of files, of what such objects hold for clusters (a Policy), or of a hosted cluster's own settings. */
  origin: "files" | "holders" | "guest";
  /** The cluster as the settings of a repository name it. Absent where folders or holders tell clusters apart. */
  named?: NamedCluster;
}>;

/** A cluster that the settings of a repository name, with the files of its own. */
export type NamedCluster = Readonly<{
  name: string;
  release?: string | undefined;
  has(file: string): boolean;
}>;

/** Manifests that are read as one: the objects that files hold, and those inside them. */
export type Tree = Readonly<{
  objects: readonly LocatedObject[];
  embedded: readonly LocatedObject[];
  /** Returns the folders of a file below the argument of `-f`. */
  foldersOf(file: string): readonly string[];
  /** The clusters by name, instead of by folders that differ. Absent without settings. */
  named?: readonly NamedCluster[];
}>;

/** An object of one of the trees, with its folders and the object that holds it. */
type Leaf = Readonly<{ located: LocatedObject; tree: number; branch: readonly string[] }>;

type Branch = Readonly<{ name: string; leaves: readonly Leaf[]; named?: NamedCluster }>;

/** Returns a text that only definitions of one object in one tree share. */
const definedAs = ({ located, tree }: Leaf): string => `${tree} ${identityOf(located)}`;

const startsWith = (branch: readonly string[], prefix: readonly string[]) =>
  prefix.every((step, index) => branch[index] === step);

/** Returns what the branches of several definitions of one object begin with; undefined where they are not apart. */
function forkOf([first, ...others]: readonly Leaf[]): readonly string[] | undefined {
  if (!first) return undefined;
  const { branch } = first;
  const isApart = others.some(
    (other) =>
      other.branch.join("/") !== branch.join("/") &&
      !isSameDefinition(first.located.object, other.located.object),
  );
  if (!isApart) return undefined;
  const length = branch.findIndex((step, index) => others.some((other) => other.branch[index] !== step));
  return length < 0 ? branch : branch.slice(0, length);
}

function findFork(leaves: readonly Leaf[]): readonly string[] | undefined {
  const known = leaves.filter(({ located }) => kindOf(located.object));
  for (const definitions of Map.groupBy(known, definedAs).values()) {
    const fork = forkOf(definitions);
    if (fork) return fork;
  }
  return undefined;
}

/**
 * Returns the objects of each cluster. Where folders, or objects that hold others, define an object differently, each of them
 * is a cluster, in all trees; what lies outside belongs to all of them.
 */
function split(leaves: readonly Leaf[], name = "", parent = ""): readonly Branch[] {
  const fork = findFork(leaves);
  if (!fork) return [{ name, leaves }];
  const stepOf = ({ branch }: Leaf) => (startsWith(branch, fork) ? branch[fork.length] : undefined);
  const shared = leaves.filter((leaf) => stepOf(leaf) === undefined);
  const branches = Map.groupBy(
    leaves.filter((leaf) => stepOf(leaf) !== undefined),
    stepOf,
  );
  const sides = [...branches].flatMap(([step = "", own]) => {
    const defined = new Set(own.map(definedAs));
    const around = shared.filter((leaf) => !defined.has(definedAs(leaf)));
    const isHolder = own.some(({ located }) => holderOf(located).includes(step));
    // A policy has its name, whatever the folder.
    const called = [...(isHolder ? [parent] : fork), step].filter(Boolean).join("/");
    return split(own, called, called).map((branch) => ({
      ...branch,
      leaves: [...around, ...branch.leaves],
    }));
  });
  const inBranches = new Set([...branches.values()].flat().map(definedAs));
  const isDefinedAround = shared.some((leaf) => inBranches.has(definedAs(leaf)));
  const ofShared = isDefinedAround || findFork(shared) ? split(shared, name, parent) : [];
  return [...ofShared, ...sides];
}

/** Returns the side once for each definition of its objects, so that none hides what is wrong with another. */
function withEachDefinition(given: Omit<ClusterSide, "issues">): readonly [ClusterSide, ...ClusterSide[]] {
  const { objects, issues, replaced } = definedOnce(given.objects);
  const side = { ...given, objects, issues };
  if (replaced.length === 0) return [side];
  const gone = new Set(replaced.map(identityOf));
  const others = objects.filter((located) => !gone.has(identityOf(located)));
  return [side, ...withEachDefinition({ ...given, objects: [...others, ...replaced] })];
}

const holderOf = ({ within }: LocatedObject): readonly string[] => (within ? [displayName(within)] : []);
const isOfGuest = ({ within, isOfNodePool }: LocatedObject) =>
  isOfNodePool === true || within?.kind === kinds.HostedCluster.kind;

/** Returns the clusters of several trees: first those of the objects in files, then of what these hold for others. */
function branchesOf(trees: readonly Tree[]): readonly (Branch & Pick<ClusterSide, "origin">)[] {
  const leavesOf = (choose: (tree: Tree) => readonly LocatedObject[]): readonly Leaf[] =>
    trees.flatMap((one, tree) =>
      choose(one).map((located) => {
        const branch = [...one.foldersOf(located.file), ...holderOf(located)];
        return { located, tree, branch };
      }),
    );
  const inner = leavesOf(({ embedded }) => embedded.filter((located) => !isOfGuest(located)));
  const guests = Map.groupBy(
    leavesOf(({ embedded }) => embedded.filter(isOfGuest)),
    ({ branch }) => branch.join("/"),
  );
  // Without a name they would be taken for the objects of the files.
  const holders = someOf([...new Set(inner.flatMap(({ located }) => holderOf(located)))], 3);
  const ofHolders = inner.length === 0 ? [] : split(inner, holders);
  const own = leavesOf(({ objects }) => objects);
  return [
    ...(namedBranches(own, trees) ?? split(own)).map((one) => ({ ...one, origin: "files" as const })),
    ...(namedBranches(inner, trees) ?? ofHolders).map((one) => ({ ...one, origin: "holders" as const })),
    ...[...guests].map(([name, leaves]) => ({ name, leaves, origin: "guest" as const })),
  ];
}

/** Returns the clusters that settings name, with what belongs to none of them in each; undefined where they name none. */
function namedBranches(leaves: readonly Leaf[], trees: readonly Tree[]): readonly Branch[] | undefined {
  const named = new Map(trees.flatMap((tree) => (tree.named ?? []).map((one) => [one.name, one] as const)));
  const clusters = [...named.values()];
  const isOf = (cluster: NamedCluster) => (leaf: Leaf) => cluster.has(leaf.located.file);
  const present = clusters.filter((cluster) => leaves.some(isOf(cluster)));
  if (present.length === 0) return undefined;
  const shared = leaves.filter((leaf) => !clusters.some((cluster) => isOf(cluster)(leaf)));
  return present.map((cluster) => ({
    name: cluster.name,
    leaves: [...shared, ...leaves.filter(isOf(cluster))],
    named: cluster,
  }));
}

/** Returns the sides of manifests, each definition of an object in one of them. */
export function sidesOf(tree: Tree): readonly ClusterSide[] {
  return branchesOf([tree]).flatMap(({ leaves, ...branch }) =>
    withEachDefinition({ ...branch, objects: leaves.map(({ located }) => located) }),
  );
}

/**
 * Returns the sides of each of several trees that are compared: the same in all of them, in the same order. What is one
 * cluster in one tree is several where another tree has different definitions.
 */
export function sidesOfEach(trees: readonly Tree[]): readonly (readonly ClusterSide[])[] {
  const branches = branchesOf(trees);
  return trees.map((_, tree) =>
    branches.map(({ leaves, ...branch }) => {
      const own = leaves.filter((leaf) => leaf.tree === tree).map(({ located }) => located);
      const [side] = withEachDefinition({ ...branch, objects: own });
      return side;
    }),
  );
}
