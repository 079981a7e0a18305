import { isSameDefinition } from "#shared/adapters/hub/semantics/stored-object.ts";
import { fieldWarning, type Issue } from "#shared/domain/issues/issue.ts";
import { someOf } from "#shared/domain/kubernetes/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { LocatedObject } from "#shared/domain/manifests/located-object.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { renderedFolder } from "../../program/rendered-argument.ts";
import { type Decides, identityOf, originOf, type Tree } from "../clusters/sides.ts";
import { settingsFile } from "./settings.ts";

/** A cluster as the settings of a repository would define it. */
export type ProposedCluster = Readonly<{ name: string; paths: readonly string[] }>;

const isBelow = (path: string, folder: string): boolean =>
  folder === "" || `${path}/`.startsWith(`${folder}/`);

/** Returns the part of `path` that ends one step below the folder `fork`. */
const branchOf = (path: string, fork: string): string =>
  path.split("/", fork === "" ? 1 : fork.split("/").length + 1).join("/");

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

const forkOf = (path: string, other: string): string =>
  isBelow(other, folderOf(path)) ? folderOf(path) : forkOf(folderOf(path), other);

/**
 * Returns the clusters to propose: the folders that define an object differently. Folders with the same name are one
 * cluster. Empty if no object has different definitions in several folders.
 */
export function proposedClusters(
  { objects, embedded, pathOf }: Tree,
  decides: Decides,
): readonly ProposedCluster[] {
  const placed = [...objects, ...embedded].flatMap((one) => {
    const origin = originOf(one);
    if (!decides(one.object) || origin === "guest" || origin === "installer") return [];
    // A rendered object belongs to the folder from which it is rendered.
    const path = renderedFolder(one.file) ? `${pathOf(one.file)}/` : pathOf(one.file);
    return [{ object: one.object, path, key: `${origin} ${identityOf(one)}` }];
  });
  const pairs = [...Map.groupBy(placed, ({ key }) => key).values()].flatMap((all) =>
    all.flatMap(({ object, path }) =>
      all
        .filter((other) => folderOf(other.path) !== folderOf(path) && !isSameDefinition(other.object, object))
        .map((other) => ({ path, fork: forkOf(path, other.path) })),
    ),
  );
  const paths = [...new Set(placed.map(({ path }) => path))];
  const besides = [...new Set(pairs.map(({ fork }) => fork))].flatMap((fork) =>
    paths
      .filter((path) => isBelow(path, fork) && branchOf(path, fork) !== path)
      .map((path) => ({ path, fork })),
  );
  const branches = [...new Set([...pairs, ...besides].map(({ path, fork }) => branchOf(path, fork)))].sort();
  const leaves = branches.filter((one) => !branches.some((other) => other !== one && isBelow(other, one)));
  const clusters = leaves.map((leaf) => {
    const outer = branches.filter((one) => isBelow(leaf, one));
    const steps = outer.map((one) => one.replace(/^.*\//, "").replace(/\.\w+$/, ""));
    // A cluster inside an outer folder also has the outer folder's files, except those in folders of clusters.
    const shared = paths.filter(
      (path) => outer.some((one) => isBelow(path, one)) && !leaves.some((one) => isBelow(path, one)),
    );
    return { name: steps.join("/"), paths: [leaf, ...shared] };
  });
  return [...Map.groupBy(clusters, ({ name }) => name)]
    .map(([name, all]) => ({ name, paths: [...new Set(all.flatMap((one) => one.paths))] }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const maxShown = 300;

/** Returns the warning that folders define an object differently, and so may belong to different clusters. */
export function severalClusters(
  definitions: readonly LocatedObject[],
  proposed: readonly ProposedCluster[],
  pathOf: Tree["pathOf"],
): Issue {
  const names = definitions.map(({ object }) => displayName({ ...object.metadata, kind: object.kind }));
  const places = someOf([...new Set(definitions.map(({ file }) => pathOf(file)))], 2);
  const text = `clusters: ${JSON.stringify(proposed)}`;
  const clusters = proposed.length > 0 && text.length <= maxShown ? sentence` ${text}` : "";
  return fieldWarning({ kind: "File", name: settingsFile }, "clusters", undefined, {
    code: "SeveralClusters",
    message: sentence`These look like several clusters: ${places} define ${names.slice(0, 1)} differently. What needs to know that is not checked.`,
    remedy: sentence`Name the clusters in ${settingsFile}, as "hubrelay config propose" prints them.${clusters}`,
  });
}
