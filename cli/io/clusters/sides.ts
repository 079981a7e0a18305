import { isSameDefinition, keyText, partsOf } from "#shared/adapters/hub/semantics/stored-object.ts";
import { definedDifferently } from "#shared/domain/issues/file-issues.ts";
import { type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { displayName, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { LocatedObject } from "#shared/domain/manifests/located-object.ts";

/** A cluster in the settings of a repository. `has` reports whether a file belongs to the cluster. */
export type NamedCluster = Readonly<{
  name: string;
  release?: string | undefined;
  has(file: string): boolean;
}>;

/** Objects of manifests that are read together. `embedded` has the objects that are inside other objects. */
export type Tree = Readonly<{
  objects: readonly LocatedObject[];
  embedded: readonly LocatedObject[];
  /** Returns the folder of a file. For a rendered object, this is the folder that was rendered. */
  folderOf(file: string): string;
  /** Returns the path of a file relative to the folder in `-f`. */
  pathBelow(file: string): string;
  /** Returns the path of a file relative to the root of its repository. */
  pathOf(file: string): string;
  clusters: readonly NamedCluster[];
}>;

/** The objects of one cluster. Each object is there once. */
export type ClusterSide = Readonly<{
  /** The cluster's name in the settings, or the name of the object that contains the objects; otherwise empty. */
  name: string;
  /** `holders`: inside objects such as a Policy; `guest`: for a hosted cluster; `installer`: in an install-config. */
  origin: "files" | "holders" | "guest" | "installer";
  objects: readonly LocatedObject[];
  /** Other definitions of these objects, or all objects if their cluster is unknown. Each is checked by itself. */
  alone: readonly LocatedObject[];
  issues: readonly Issue[];
  /** Different definitions of one object, which may belong to different clusters; absent if there are none. */
  conflict?: readonly LocatedObject[];
  named?: NamedCluster;
}>;

/** Returns a text that is equal for two objects if a hub would store them as one object. */
export const identityOf = ({ object }: Pick<LocatedObject, "object">): string => keyText(partsOf(object).key);

const placeOf = ({ file, line }: LocatedObject) => ({ file, line });
const holderOf = ({ within }: LocatedObject): string => (within ? displayName(within) : "");

/** Returns the `origin` of an object for `ClusterSide`. */
export function originOf({ within, isOfNodePool, isOfInstaller }: LocatedObject): ClusterSide["origin"] {
  if (isOfInstaller) return "installer";
  if (!within) return "files";
  return isOfNodePool || within.kind === kinds.HostedCluster.kind ? "guest" : "holders";
}

/** Reports whether a command reads this object. */
export type Decides = (object: KubernetesObject) => boolean;

/**
 * Objects in `shared` are in files of no cluster. If `decides` selects an object, different definitions are an error,
 * and the last counts. In different folders, with any shared, they are a `conflict`: they may be for several clusters.
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

/** Reports whether the tree contains a file of this cluster. */
export const isIn = ({ objects, embedded }: Tree, { has }: NamedCluster): boolean =>
  [...objects, ...embedded].some(({ file }) => has(file));

/**
 * Returns the clusters of manifests. Each cluster in the settings also has the objects of files in no cluster. A hosted
 * cluster and an install-config are clusters of their own. Without clusters in the settings, all objects are `alone` if
 * folders define an object differently: they may be for several clusters.
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
  // The cluster of files is always there, even without objects, since it has the issues of files.
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
