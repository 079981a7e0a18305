import { isSameDefinition } from "#shared/adapters/hub/semantics/stored-object.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { kindOf, kinds } from "#shared/domain/kubernetes/kinds.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { LocatedObject } from "#shared/domain/manifests/located-object.ts";
import { definedOnce, identityOf } from "./defined-once.ts";

/** The objects of one cluster, each once. */
export type ClusterSide = Readonly<{
  /** The folder or the object that these objects are from; empty where there is one cluster. */
  name: string;
  objects: readonly LocatedObject[];
  issues: readonly Issue[];
  /** The objects hold others, such as a Policy, and those are applied to a cluster. */
  isEmbedded: boolean;
}>;

/** The folders of an object below the argument of `-f`, and the object that holds it. */
type BranchOf = (located: LocatedObject) => readonly string[];

type Branch = Readonly<{ name: string; objects: readonly LocatedObject[] }>;

const startsWith = (branch: readonly string[], prefix: readonly string[]) =>
  prefix.every((step, index) => branch[index] === step);

/** Returns what the branches of several definitions of one object begin with; undefined where they are not apart. */
function forkOf(definitions: readonly LocatedObject[], branchOf: BranchOf): readonly string[] | undefined {
  const [first, ...others] = definitions;
  if (!first) return undefined;
  const own = branchOf(first);
  const isApart = others.some(
    (other) => branchOf(other).join("/") !== own.join("/") && !isSameDefinition(first.object, other.object),
  );
  if (!isApart) return undefined;
  const length = own.findIndex((step, index) => others.some((other) => branchOf(other)[index] !== step));
  return length < 0 ? own : own.slice(0, length);
}

function findFork(objects: readonly LocatedObject[], branchOf: BranchOf): readonly string[] | undefined {
  const known = objects.filter(({ object }) => kindOf(object));
  for (const definitions of Map.groupBy(known, identityOf).values()) {
    const fork = definitions.length > 1 ? forkOf(definitions, branchOf) : undefined;
    if (fork) return fork;
  }
  return undefined;
}

/**
 * Returns the objects of each cluster. Where folders, or objects that hold others, define an object differently, each of them
 * is a cluster; what lies outside belongs to all of them.
 */
function split(objects: readonly LocatedObject[], branchOf: BranchOf, name = ""): readonly Branch[] {
  const fork = findFork(objects, branchOf);
  if (!fork) return [{ name, objects }];
  const inFork = (located: LocatedObject) => {
    const branch = branchOf(located);
    return startsWith(branch, fork) ? branch[fork.length] : undefined;
  };
  const shared = objects.filter((located) => inFork(located) === undefined);
  const branches = Map.groupBy(
    objects.filter((located) => inFork(located) !== undefined),
    inFork,
  );
  const sides = [...branches].flatMap(([step = "", own]) => {
    const defined = new Set(own.map(identityOf));
    const around = shared.filter((located) => !defined.has(identityOf(located)));
    return split(own, branchOf, [...fork, step].join("/")).map((branch) => ({
      ...branch,
      objects: [...around, ...branch.objects],
    }));
  });
  const isDefinedAround = shared.some((located) =>
    [...branches.values()].some((own) => own.some((one) => identityOf(one) === identityOf(located))),
  );
  const ofShared = isDefinedAround || findFork(shared, branchOf) ? split(shared, branchOf, name) : [];
  return [...ofShared, ...sides];
}

/** Returns the side once for each definition of its objects, so that none hides what is wrong with another. */
function withEachDefinition(branch: Branch, isEmbedded: boolean): readonly ClusterSide[] {
  const { name } = branch;
  const { objects, issues, replaced } = definedOnce(branch.objects);
  const side = { name, objects, issues, isEmbedded };
  if (replaced.length === 0) return [side];
  const gone = new Set(replaced.map(identityOf));
  const others = objects.filter((located) => !gone.has(identityOf(located)));
  return [side, ...withEachDefinition({ name, objects: [...others, ...replaced] }, isEmbedded)];
}

/** The objects that files hold, and those inside them. */
type Given = Readonly<{
  objects: readonly LocatedObject[];
  embedded: readonly LocatedObject[];
  /** Returns the folders of a file below the argument of `-f`. */
  foldersOf(file: string): readonly string[];
}>;

const holderOf = ({ within }: LocatedObject): readonly string[] => (within ? [displayName(within)] : []);

/** Returns the sides of manifests: first those of the objects in files, then of what these hold for other clusters. */
export function sidesOf({ objects, embedded, foldersOf }: Given): readonly ClusterSide[] {
  const branchOf: BranchOf = (located) => [...foldersOf(located.file), ...holderOf(located)];
  const isOfGuest = ({ within }: LocatedObject) => within?.kind === kinds.HostedCluster.kind;
  const guests = Map.groupBy(embedded.filter(isOfGuest), (located) => branchOf(located).join("/"));
  const inner = embedded.filter((located) => !isOfGuest(located));
  const ofFiles = split(objects, branchOf).flatMap((branch) => withEachDefinition(branch, false));
  const ofHolders = inner.length === 0 ? [] : split(inner, branchOf);
  const ofGuests = [...guests].map(([name, own]) => ({ name, objects: own }));
  return [...ofFiles, ...[...ofHolders, ...ofGuests].flatMap((branch) => withEachDefinition(branch, true))];
}
