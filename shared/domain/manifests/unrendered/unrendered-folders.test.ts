import { expect, test } from "vitest";
import { unrenderedFolders } from "./unrendered-folders.ts";

const found = (files: Readonly<Record<string, string>>) => {
  const { folders, inputs } = unrenderedFolders(
    Object.entries(files).map(([file, text]) => ({ file, text })),
  );
  return {
    folders: folders.map(({ program, folder }) => `${program} ${folder}`),
    inputs: [...inputs].sort(),
  };
};
const nothing = { folders: [], inputs: [] };
const chart = "apiVersion: v2\nname: mirrors\nversion: 1.0.0\n";

test.for<[string, Record<string, string>, ReturnType<typeof found>]>([
  ["only lists files", { "a/kustomization.yaml": "resources: [x.yaml]", "a/x.yaml": "" }, nothing],
  [
    "lists a folder that only lists files",
    {
      "base/kustomization.yml": "resources: [./x.yaml]",
      "base/x.yaml": "",
      "over/kustomization.yaml": "resources: [../base/]\ncommonLabels: {a: b}",
    },
    nothing,
  ],
  [
    "patches",
    {
      "base/kustomization.yaml": "resources: [x.yaml]",
      "base/x.yaml": "",
      "over/prod/kustomization.yaml":
        "resources: [../../base]\npatches: [{path: p.yaml}, {patch: 'a: b'}]\nconfigMapGenerator: [{files: [k=v.yaml, w.yaml]}]",
      "over/prod/p.yaml": "",
      "over/prod/v.yaml": "",
      "over/prod/w.yaml": "",
    },
    {
      folders: ["kustomize over/prod"],
      inputs: ["over/prod/p.yaml", "over/prod/v.yaml", "over/prod/w.yaml"],
    },
  ],
  [
    "refers to one that patches",
    {
      "kustomization.yaml": "resources: [over]",
      "over/kustomization.yaml": "patchesStrategicMerge: [p.yaml]\nimages: []",
      "over/p.yaml": "",
    },
    { folders: ["kustomize over"], inputs: ["over/p.yaml"] },
  ],
  [
    "refers to another repository",
    { "a/kustomization.yaml": "resources: ['https://git.example/x?ref=v1']" },
    { folders: ["kustomize a"], inputs: [] },
  ],
  [
    "refers to a folder that was not read",
    { "a/kustomization.yaml": "resources: [../../base]" },
    { folders: ["kustomize a"], inputs: [] },
  ],
  [
    "refers to itself",
    {
      "a/kustomization.yaml": "resources: [../b]",
      "b/kustomization.yaml": "resources: [../a]",
    },
    nothing,
  ],
  [
    "lists a patch as a manifest as well",
    { "a/kustomization.yaml": "resources: [x.yaml]\npatches: [{path: x.yaml}]", "a/x.yaml": "" },
    { folders: ["kustomize a"], inputs: [] },
  ],
  ["cannot be parsed", { "a/kustomization.yaml": "resources: [" }, nothing],
])("When a kustomization %s, it should find what is not rendered", ([, files, expected]) => {
  expect(found(files)).toEqual(expected);
});

test.for<[string, Record<string, string>, ReturnType<typeof found>]>([
  [
    "has templates",
    { "c/Chart.yaml": chart, "c/templates/a/x.yaml": "{{ x }}", "c/crds/y.yaml": "", "c/values.yaml": "" },
    { folders: ["helm c"], inputs: ["c/templates/a/x.yaml"] },
  ],
  [
    "has charts of its own",
    {
      "Chart.yaml": chart,
      "templates/x.yaml": "",
      "charts/sub/Chart.yaml": chart,
      "charts/sub/templates/y.yaml": "",
    },
    { folders: ["helm "], inputs: ["charts/sub/templates/y.yaml", "templates/x.yaml"] },
  ],
  [
    "is a reference of kubectl cluster-compare",
    {
      "r/metadata.yaml": "parts: [{components: [{allOf: [{path: a/x.yaml}]}]}]",
      "r/a/x.yaml": "{{ x }}",
      "r/y.yaml": "",
      "r/z.yaml": "",
    },
    { folders: [], inputs: ["r/a/x.yaml", "r/metadata.yaml", "r/y.yaml", "r/z.yaml"] },
  ],
  [
    "is a kuttl test",
    { "t/00-assert.yaml": "", "t/00-install.yaml": "", "t/01-errors-x.yaml": "", "t/assert.yaml": "" },
    { folders: [], inputs: ["t/00-assert.yaml", "t/01-errors-x.yaml"] },
  ],
  ["has no templates", { "c/Chart.yaml": chart, "c/x.yaml": "" }, nothing],
])("When a chart %s, it should find what is not rendered", ([, files, expected]) => {
  expect(found(files)).toEqual(expected);
});
