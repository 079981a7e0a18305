import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { LocatedObject } from "#shared/domain/manifests/located-object.ts";
import { readObjects } from "../manifest-source.ts";
import { chosenSide } from "./cluster-sides.ts";
import { sidesOf, sidesOfEach } from "./sides.ts";

const located = (file: string, name: string, source: string, within?: string): LocatedObject => ({
  object: {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: { name },
    spec: { imageDigestMirrors: [{ source }] },
  },
  file,
  document: 1,
  line: 1,
  path: [],
  ...(within === undefined ? {} : { within: { kind: within, name: file } }),
});
const foldersOf = (file: string) => file.split("/").slice(0, -1);
const sourcesOf = ({ object }: LocatedObject) => JSON.stringify(object.spec).match(/[a-z]\.io/)?.[0] ?? "";

test.for([
  ["one cluster", [located("a/x", "one", "a.io"), located("b/x", "two", "b.io")], [": a.io b.io"]],
  ["the same in two folders", [located("a/x", "one", "a.io"), located("b/x", "one", "a.io")], [": a.io"]],
  [
    "two folders with different ones",
    [
      located("envs/prod/x", "one", "a.io"),
      located("envs/stage/x", "one", "b.io"),
      located("x", "two", "c.io"),
    ],
    ["envs/prod: c.io a.io", "envs/stage: c.io b.io"],
  ],
  [
    "a folder and one inside it",
    [located("x", "one", "a.io"), located("stage/x", "one", "b.io")],
    [": a.io", "stage: b.io"],
  ],
  [
    "two definitions in one folder",
    [located("a/x", "one", "a.io"), located("a/y", "one", "b.io")],
    [": b.io, DuplicateObject", ": a.io"],
  ],
] as const)("When objects are of %s, the sides should be %2$o", ([, objects, sides]) => {
  const found = sidesOf({ objects, embedded: [], foldersOf });
  expect(
    found.map(
      ({ name, objects: own, issues }) =>
        `${name}: ${[own.map(sourcesOf).join(" "), ...issues.map(({ code }) => code)].join(", ")}`,
    ),
  ).toEqual(sides);
});

test.for([
  ["policies that agree", ["a.io", "a.io"], 1],
  ["a policy for each group", ["a.io", "b.io"], 2],
] as const)("When objects are in %s, there should be sides: %2$o", ([, sources, count]) => {
  const embedded = sources.map((source, index) => located(String(index), "one", source, "Policy"));
  const sides = sidesOf({ objects: [], embedded, foldersOf });
  expect(sides.filter(({ origin }) => origin === "holders")).toHaveLength(count);
});

test("When hosted clusters configure images, each should be a side of its own", () => {
  const embedded = ["1", "2"].map((file) => located(file, "cluster", "a.io", "HostedCluster"));
  expect(
    sidesOf({ objects: [], embedded, foldersOf }).filter(({ origin }) => origin === "guest"),
  ).toHaveLength(2);
});

test("When a folder defines an object twice, a command about one cluster should have the last, and say so", () => {
  const sources = ["a", "b"].map((name) => ({
    file: `repo/${name}.json`,
    folder: "repo",
    text: JSON.stringify(located("", "one", `${name}.io`).object),
  }));
  const { objects, issues } = chosenSide(readObjects({ sources, issues: [] }), [kinds.ImageDigestMirrorSet]);
  expect(objects.map(({ spec }) => spec)).toEqual([located("", "one", "b.io").object.spec]);
  expect(issues.map(({ code }) => code)).toEqual(["DuplicateObject"]);
});

test("When manifests are of several clusters, a command about one should name them", () => {
  const text = (source: string) => JSON.stringify(located("", "one", source).object);
  const sources = ["prod", "stage"].map((env) => ({
    file: `repo/${env}/a.json`,
    folder: "repo",
    text: text(`${env}.io`),
  }));
  expect(() => chosenSide(readObjects({ sources, issues: [] }), [kinds.ImageDigestMirrorSet])).toThrow(
    "the manifests are of several clusters: prod, stage. Name the files of one.",
  );
});

test("When settings name clusters, each should have its files and those of none, whatever is defined there", () => {
  const named = [
    { name: "prod", release: "4.18.9", has: (file: string) => file.startsWith("a/") },
    { name: "stage", has: (file: string) => file.startsWith("b/") },
    { name: "gone", has: () => false },
  ];
  const objects = [located("a/x", "one", "a.io"), located("b/x", "one", "a.io"), located("x", "two", "c.io")];
  const sides = sidesOf({ objects, embedded: [], foldersOf, named });
  expect(sides.map(({ name, named: one, objects: own }) => [name, one?.release, own.map(sourcesOf)])).toEqual(
    [
      ["prod", "4.18.9", ["c.io", "a.io"]],
      ["stage", undefined, ["c.io", "a.io"]],
    ],
  );
});

test("When two trees differ in one folder only, both should have the sides of both folders", () => {
  const tree = (source: string) => ({
    objects: [located("a/x", "one", "a.io"), located("b/x", "one", source)],
    embedded: [],
    foldersOf,
  });
  const sides = sidesOfEach([tree("a.io"), tree("b.io")]);
  expect(sides.map((some) => some.map(({ name, objects }) => [name, objects.map(sourcesOf)]))).toEqual([
    [
      ["a", ["a.io"]],
      ["b", ["a.io"]],
    ],
    [
      ["a", ["a.io"]],
      ["b", ["b.io"]],
    ],
  ]);
});
