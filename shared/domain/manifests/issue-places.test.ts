import { expect, test } from "vitest";
import type { Issue } from "../issues/issue.ts";
import { withPlaces } from "./issue-places.ts";
import { readManifests } from "./manifests.ts";
import { largeDocument } from "./positions.ts";

const issue = (name: string, path: string, value?: unknown): Issue => ({
  code: "InvalidSource",
  severity: "error",
  object: { kind: "ImageDigestMirrorSet", name },
  path,
  value,
  message: "It is wrong",
  remedy: "Correct it.",
});

function placeOf(text: string, given: Issue, file = "a.yaml"): string {
  const { objects } = readManifests(text, file);
  const [placed] = withPlaces([given], objects, [{ file, text }]);
  return `${placed?.file}:${placed?.line}:${placed?.column}`;
}

const set = (name: string, source = "quay.io/a") => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: ${name}
  annotations:
    example.org/note: x
spec:
  imageDigestMirrors:
    - mirrors: [a.io, b.io]
      source: ${source}
`;
const json = (value: unknown, indent?: number) => JSON.stringify(value, null, indent);
const object = { apiVersion: "config.openshift.io/v1", kind: "ImageDigestMirrorSet" };
const jsonSet = (name: string) => ({
  ...object,
  metadata: { name },
  spec: { imageDigestMirrors: [{ source: 'a"\\{[', mirrors: ["a.io", "b.io"] }] },
});
const list = (sets: readonly string[]) =>
  `kind: List\nitems:\n${sets.map((one) => `- ${one.trimEnd().replaceAll("\n", "\n  ")}\n`).join("")}`;
const jsonList = json({ kind: "List", items: [jsonSet("a"), jsonSet("b")] }, 1);

const source = "spec.imageDigestMirrors[0].source";
const cases: readonly [name: string, text: string, path: string, place: string][] = [
  ["a field", set("a"), source, "10:7"],
  ["an item in a flow list", set("a"), "spec.imageDigestMirrors[0].mirrors[1]", "9:23"],
  ["a whole rule", set("a"), "spec.imageDigestMirrors[0]", "9:7"],
  ["a missing field, the one around it", set("a"), "spec.imageDigestMirrors[0].sourcePolicy", "9:7"],
  ["a missing item, the list", set("a"), "spec.imageDigestMirrors[7].source", "8:3"],
  ["the object", set("a"), "", "1:1"],
  ["a key with dots in brackets", set("a"), 'metadata.annotations["example.org/note"]', "6:5"],
  ["a key with dots", set("a"), "metadata.annotations.example.org/note", "6:5"],
  ["a later document", `# comment\n---\n${set("b")}---\n${set("a")}`, source, "23:7"],
  ["an item of a list", list([set("b"), set("a")]), source, "22:9"],
  ["an item of JSON", jsonList, "spec.imageDigestMirrors[0].mirrors[1]", "16:8"],
  ["a field of JSON", jsonList, source, "13:7"],
  ["one of several JSON values", `${json(jsonSet("b"))}\n\n  ${json(jsonSet("a"))}`, "metadata.name", "3:84"],
  ["a file with Windows line ends", set("a").replaceAll("\n", "\r\n"), source, "10:7"],
  ["a file with a byte order mark", `\uFEFF${set("a")}`, source, "10:7"],
];
test.for(cases)("When the issue is about %s, it should give its place", ([, text, path, place]) => {
  expect(placeOf(text, issue("a", path))).toBe(`a.yaml:${place}`);
});

test("When a field is behind an alias, it should give the alias", () => {
  const text = `${set("a")}      other: &x {a: 1}\n      more: *x\n`;
  expect(placeOf(text, issue("a", "spec.imageDigestMirrors[0].more.a"))).toBe("a.yaml:12:7");
});

test("When a list is large, it should give the place in the item", () => {
  const padding = `    note: ${"x".repeat(largeDocument / 2)}\n`;
  const large = (name: string) => set(name).replace("    example.org/note: x\n", padding);
  const text = list([large("b"), large("c"), large("a")]);
  expect(text.length).toBeGreaterThan(largeDocument);
  expect(placeOf(text, issue("a", source))).toBe("a.yaml:32:9");
});

test("When two files have the object, it should give the file with the issue's value, else the last", () => {
  const texts = [
    { file: "1.yaml", text: set("a", "wrong") },
    { file: "2.yaml", text: set("a") },
  ];
  const objects = texts.flatMap(({ file, text }) => readManifests(text, file).objects);
  const placed = withPlaces([issue("a", source, "wrong"), issue("a", source, "other")], objects, texts);
  expect(placed.map(({ file }) => file)).toEqual(["1.yaml", "2.yaml"]);
});

test("When the object is of no file, or the issue has a place, it should leave the issue alone", () => {
  const { objects } = readManifests(set("a"), "a.yaml");
  const given = [issue("b", ""), { ...issue("a", source), file: "x", line: 7, column: 2 }];
  expect(withPlaces(given, objects, [{ file: "a.yaml", text: set("a") }])).toEqual(given);
});
