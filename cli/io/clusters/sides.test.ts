import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { readObjects } from "../manifest-source.ts";
import { chosenSide } from "./cluster-sides.ts";

/** Reads files with a mirror set each: `FOLDER/FILE NAME SOURCE`, one line a file. */
function reading(lines: readonly string[], named: readonly string[] = []) {
  const sources = lines.map((line) => {
    const [file = "", name, source] = line.split(" ");
    const text = JSON.stringify({
      apiVersion: "config.openshift.io/v1",
      kind: "ImageDigestMirrorSet",
      metadata: { name },
      spec: { imageDigestMirrors: [{ source }] },
    });
    return { file, folder: "", text };
  });
  const clusters = named.map((name) => ({ name, has: (file: string) => file.startsWith(`${name}/`) }));
  return readObjects({ sources, issues: [] }, { clusters, pathOf: (file) => file, nameOf: (file) => file });
}
const sets = [kinds.ImageDigestMirrorSet];
const sourceOf = ({ spec }: { spec?: unknown }) => JSON.stringify(spec).match(/[a-z]\.io/)?.[0];

test.for([
  ["one cluster", ["a/x one a.io", "b/x two b.io"], [], [": a.io b.io"]],
  ["the same object in two folders", ["a/x one a.io", "b/x one a.io"], [], [": a.io"]],
  [
    "folders that define an object differently",
    ["prod/x one a.io", "stage/x one b.io", "x two c.io"],
    [],
    [": alone a.io b.io c.io SeveralClusters"],
  ],
  [
    "two definitions in one folder",
    ["a/x one a.io", "a/y one b.io"],
    [],
    [": b.io alone a.io DuplicateObject in a/y"],
  ],
  [
    "two definitions in one folder, beside folders of several clusters",
    ["prod/x one a.io", "stage/x one b.io", "x/a two c.io", "x/b two d.io"],
    [],
    [": alone a.io b.io c.io d.io SeveralClusters"],
  ],
  [
    "two definitions in one file, beside folders of several clusters",
    ["prod/x one a.io", "stage/x one b.io", "x/a two c.io", "x/a two d.io"],
    [],
    [": alone a.io b.io c.io d.io SeveralClusters DuplicateObject in x/a"],
  ],
  [
    "clusters that are named, with what belongs to none of them in each",
    ["prod/x one a.io", "stage/x one b.io", "x two c.io"],
    ["prod", "stage", "gone"],
    ["prod: c.io a.io", "stage: c.io b.io"],
  ],
  [
    "one more cluster than is named",
    ["prod/x one a.io", "dev/x one b.io", "x two c.io"],
    ["prod"],
    ["prod: c.io a.io alone b.io SeveralClusters"],
  ],
  [
    "a named cluster that defines an object twice",
    ["prod/a/x one a.io", "prod/b/x one b.io"],
    ["prod"],
    ["prod: b.io alone a.io DuplicateObject in prod/b/x"],
  ],
  [
    "a named cluster that defines an object twice, beside one more cluster than is named",
    ["prod/a/x one a.io", "prod/b/x one b.io", "dev/x one c.io"],
    ["prod"],
    ["prod: b.io alone c.io a.io SeveralClusters DuplicateObject in prod/b/x"],
  ],
] as const)("When files have %s, the sides should be %4$j", ([, lines, named, wanted]) => {
  const found = reading(lines, named).sides(sets);
  expect(
    found.map(({ name, objects, alone, issues, place }) =>
      [
        `${name}:`,
        ...objects.map(sourceOf),
        ...(alone.length > 0 ? ["alone", ...alone.map(({ object }) => sourceOf(object))] : []),
        ...place(issues).map(({ code, file }) => (file ? `${code} in ${file}` : code)),
      ].join(" "),
    ),
  ).toEqual(wanted);
});

test("When files may be of several clusters, a command about one should say how to name them", () => {
  expect(() => chosenSide(reading(["prod/x one a.io", "stage/x one b.io"]), sets)).toThrow(
    /ImageDigestMirrorSet\/one differently\..*hubrelay config propose.*clusters: \[\{"name":"prod","paths":\["prod"\]\},/,
  );
});
