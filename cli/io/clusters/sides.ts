import { isSameDefinition, keyText, partsOf } from "#shared/adapters/hub/semantics/stored-object.ts";
import { definedDifferently } from "#shared/domain/issues/file-issues.ts";
import { type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { displayName, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { LocatedObject } from "#shared/domain/manifests/located-object.ts";

/** A cluster in the settings of a repository, with its own files. */
export type NamedCluster = Readonly<{
  name: string;
  release?: string | undefined;
  has(file: string): boolean;
}>;

/** Manifests that are read together: the objects in files, and the objects inside those. */
export type Tree = Readonly<{
  objects: readonly LocatedObject[];
  embedded: readonly LocatedObject[];
  /** Returns the folder of a file; for rendered objects, the rendered folder. */
  folderOf(file: string): string;
  /** Returns the path of a file below the argument of `-f`. */
  pathBelow(file: string): string;
  /** Returns the path of a file in the repository. */
  pathOf(file: string): string;
  clusters: readonly NamedCluster[];
}>;

/** The objects of one cluster, each once. */
export type ClusterSide = Readonly<{
  /** The name of the cluster in the settings, or of the object that contains the objects; empty without either. */
  name: string;
  /** The objects' source: files, objects inside others (such as a Policy), a hosted cluster or an install-config. */
  origin: "files" | "holders" | "guest" | "installer";
  objects: readonly LocatedObject[];
  /** Other definitions of the objects, or all objects if they may belong to several clusters. Each is checked by itself. */
  alone: readonly LocatedObject[];
  issues: readonly Issue[];
  /** The different definitions of an object in folders outside of named clusters; absent if there are none. */
  conflict?: readonly LocatedObject[];
  named?: NamedCluster;
}>;

/** Returns a text that is the same for objects that a hub would store as one. */
export const identityOf = ({ object }: Pick<LocatedObject, "object">): string => keyText(partsOf(object).key);

const placeOf = ({ file, line }: LocatedObject) => ({ file, line });
const holderOf = ({ within }: LocatedObject): string => (within ? displayName(within) : "");

/** Returns the origin of an object, which depends on the object that contains it. */
export function originOf({ within, isOfNodePool, isOfInstaller }: LocatedObject): ClusterSide["origin"] {
  if (isOfInstaller) return "installer";
  if (!within) return "files";
  return isOfNodePool || within.kind === kinds.HostedCluster.kind ? "guest" : "holders";
}

/** A function that reports whether a command reads an object. */
export type Decides = (object: KubernetesObject) => boolean;

/**
 * Returns a cluster that consists of `own` and `shared` objects. Different definitions of an object are an error, and
 * the last one counts. If they are in different folders and any is shared, they are a `conflict` instead: they may be
 * for several clusters. During a conflict, shared definitions of other objects are errors only if they are in one file.
 */
function sideOf(
  own: readonly LocatedObject[],
  shared: readonly LocatedObject[],
  { folderOf }: Tree,
  decides: Decides,
) {
  const all = [...shared, ...own];
  const isShared = new Set(shared);
  const placedIn = (one: LocatedObject) => `${folderOf(one.file)} ${holderOf(one)}`;
  const counting = new Set<LocatedObject>();
  const alone: LocatedObject[] = [];
  const duplicates: [LocatedObject, ...LocatedObject[]][] = [];
  let conflict: readonly LocatedObject[] | undefined;
  for (const same of Map.groupBy(all, identityOf).values()) {
    const definitions = same.filter(
      ({ object }, index) => !same.slice(index + 1).some((later) => isSameDefinition(later.object, object)),
    );
    const last = definitions.at(-1);
    // Only objects that the command reads cause errors: release payloads contain several variants of other objects.
    const isDecisive = last !== undefined && decides(last.object);
    const mayBeApart =
      isDecisive &&
      definitions.some(
        (one) => isShared.has(one) && definitions.some((other) => placedIn(one) !== placedIn(other)),
      );
    if (mayBeApart) conflict ??= definitions;
    const candidates = mayBeApart ? definitions.filter((one) => !isShared.has(one)) : definitions;
    const kept = isDecisive ? candidates.slice(-1) : definitions;
    for (const one of kept) counting.add(one);
    alone.push(...definitions.filter((one) => !kept.includes(one)));
    if (isDecisive && candidates.length > 1) duplicates.push([last, ...candidates.slice(0, -1)]);
  }
  const issues = duplicates
    .filter(
      ([last, ...others]) => !conflict || others.every((one) => !isShared.has(one) || one.file === last.file),
    )
    .map(([last, ...others]) => definedDifferently(issueObject(last.object), others.map(placeOf)));
  const objects = all.filter((one) => counting.has(one));
  return { objects, alone, issues, ...(conflict ? { conflict } : {}) };
}

/** Reports whether a cluster has a file in the tree. */
export const isIn = ({ objects, embedded }: Tree, { has }: NamedCluster): boolean =>
  [...objects, ...embedded].some(({ file }) => has(file));

/**
 * Returns the clusters of manifests. Each cluster in the settings also has the objects that are in none of these
 * clusters. Without clusters in the settings, there are two: objects in files, and objects inside other objects.
 * If folders then have different definitions of an object that `decides` selects, each object is checked by itself:
 * the objects may belong to several clusters. A hosted cluster and an install-config are clusters of their own.
 */
export function sidesOf(
  tree: Tree,
  decides: Decides,
  clusters: readonly NamedCluster[] = tree.clusters.filter((one) => isIn(tree, one)),
): readonly ClusterSide[] {
  const clusterOf = ({ file }: LocatedObject) => clusters.find(({ has }) => has(file))?.name;
  const ownName = (one: LocatedObject) =>
    [clusterOf(one), one.isOfInstaller ? tree.pathBelow(one.file) : holderOf(one)].filter(Boolean).join("/");
  const groups = Map.groupBy([...tree.objects, ...tree.embedded], (one) => {
    const origin = originOf(one);
    if (origin === "installer") return `${origin} ${one.file}`;
    return origin === "guest" ? `${origin} ${ownName(one)}` : origin;
  });
  // Issues of files are reported on the files' cluster, even if it has no object.
  if (!groups.has("files")) groups.set("files", []);
  return [...groups.values()].flatMap((all): readonly ClusterSide[] => {
    const [first] = all;
    const origin = first ? originOf(first) : "files";
    const isOwn = origin === "guest" || origin === "installer";
    const shared = all.filter((one) => clusterOf(one) === undefined);
    if (clusters.length > 0 && !isOwn)
      return clusters.map((named) => {
        const own = all.filter(({ file }) => named.has(file));
        return { name: named.name, origin, named, ...sideOf(own, shared, tree, decides) };
      });
    const side = sideOf([], all, tree, decides);
    const name = first && isOwn ? ownName(first) : someOf([...new Set(all.map(holderOf))].filter(Boolean), 3);
    const apart = side.conflict ? { objects: [], alone: [...side.alone, ...side.objects] } : {};
    return [{ name, origin, ...side, ...apart }];
  });
}
