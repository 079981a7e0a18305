import { expect, test } from "vitest";
import { proposedClusters } from "./several-clusters.ts";

/** Returns the objects of a repository, each as `OBJECT VARIANT FILE`. */
const treeOf = (lines: readonly string[]) => ({
  objects: lines.map((line) => {
    const [name = "", variant, file = ""] = line.split(" ");
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { variant } };
    return { object, file, document: 1, line: 1, path: [] };
  }),
  embedded: [],
  folderOf: (file: string) => file,
  pathBelow: (file: string) => file,
  pathOf: (file: string) => file.replace("kustomize:", ""),
  clusters: [],
});

test.for([
  ["one definition of each object", ["a 0 x/a.yaml", "b 0 y/b.yaml"], []],
  ["the same in two folders", ["a 0 prod/a.yaml", "a 0 stage/a.yaml"], []],
  ["different ones in one folder", ["a 0 x/a.yaml", "a 1 x/b.yaml"], []],
  [
    "environments",
    ["a 0 envs/prod/a.yaml", "a 1 envs/stage/a.yaml", "b 0 envs/prod/b.yaml", "c 0 c.yaml"],
    ["prod: envs/prod", "stage: envs/stage"],
  ],
  [
    "components by environment",
    [
      "a 0 mirrors/prod/a.yaml",
      "a 1 mirrors/stage/a.yaml",
      "b 0 policies/prod/b.yaml",
      "b 1 policies/stage/b.yaml",
    ],
    ["prod: mirrors/prod policies/prod", "stage: mirrors/stage policies/stage"],
  ],
  [
    "sites with environments",
    ["a 0 eu/prod/a.yaml", "a 1 eu/stage/a.yaml", "a 2 us/a.yaml", "b 0 eu/b.yaml"],
    ["eu/prod: eu/prod eu/b.yaml", "eu/stage: eu/stage eu/b.yaml", "us: us"],
  ],
  ["a folder and one inside it", ["a 0 a.yaml", "a 1 stage/a.yaml"], ["a: a.yaml", "stage: stage"]],
  [
    "rendered folders",
    ["a 0 kustomize:overlays/prod", "a 1 kustomize:overlays/stage"],
    ["prod: overlays/prod", "stage: overlays/stage"],
  ],
] as const)("When a repository has %s, the clusters to propose should be %2$j", ([, lines, clusters]) => {
  const found = proposedClusters(treeOf(lines), () => true);
  expect(found.map(({ name, paths }) => `${name}: ${paths.join(" ")}`)).toEqual(clusters);
});
