import { expect, test } from "vitest";
import { configureMirrors } from "../mirrors/configuration.ts";
import { withPlaces } from "./issue-places.ts";
import { readManifests } from "./manifests.ts";

const read = (lists: string) => {
  const text = `apiVersion: v1\nbaseDomain: a.example\nmetadata: {name: c}\n${lists}`;
  return readManifests(text, "install-config.yaml", { readsEmbedded: true });
};

test("When an install-config.yaml has mirrors, they should be objects", () => {
  const { objects, issues } = read(`imageContentSources: []
imageDigestSources:
- source: a.example
  mirrors: [m.example]
  sourcePolicy: NeverContactSource
`);
  expect(issues).toEqual([]);
  expect(objects.map(({ object, line }) => [object.kind, object.spec, line])).toEqual([
    [
      "ImageDigestMirrorSet",
      {
        imageDigestMirrors: [
          { source: "a.example", mirrors: ["m.example"], mirrorSourcePolicy: "NeverContactSource" },
        ],
      },
      1,
    ],
    ["ImageContentSourcePolicy", { repositoryDigestMirrors: [] }, 1],
  ]);
});

test("When an install-config.yaml has no mirrors, it should be ignored", () => {
  expect(read("")).toEqual({ objects: [], issues: [], ignored: 1 });
});

const anItem = "- source: a.example\n  mirrors: [m.example]\n";

const older = `imageContentSources:\n${anItem}`;

test.for([
  [
    "a field of ImageDigestMirrorSet",
    `imageDigestSources:\n${anItem}  mirrorSourcePolicy: NeverContactSource\n`,
    ["warning UnknownField imageDigestSources[0].mirrorSourcePolicy 7"],
  ],
  [
    "a policy in the older list",
    `${older}  sourcePolicy: NeverContactSource\n`,
    ["warning UnknownField imageContentSources[0].sourcePolicy 7"],
  ],
  ["the list of the kind", `imageDigestMirrors:\n${anItem}`, ["warning UnknownField imageDigestMirrors 4"]],
  [
    "names that only API servers accept",
    `imageDigestSources:\n- source: "*.a.example"\n  mirrors: [localhost/x, m/x]\n`,
    [
      "error InvalidValue imageDigestSources[0].source 5",
      "error InvalidValue imageDigestSources[0].mirrors[1] 6",
    ],
  ],
  ["both lists", `imageDigestSources:\n${anItem}${older}`, ["error InvalidValue imageContentSources 7"]],
] as const)(
  "When an install-config.yaml has %s, it should report what the installer does",
  ([, text, expected]) => {
    const { objects, issues } = read(text);
    expect(issues.map(({ severity, code, path, line }) => `${severity} ${code} ${path} ${line}`)).toEqual(
      expected,
    );
    expect(JSON.stringify(objects)).not.toContain("NeverContactSource");
  },
);

const judged = (lists: string) => {
  const text = `baseDomain: a.example\n${lists}`;
  const { objects } = readManifests(text, "i.yaml", { readsEmbedded: true });
  const { issues } = configureMirrors({ objects: objects.map(({ object }) => object) });
  const placed = withPlaces(issues, objects, [{ file: "i.yaml", text }]);
  return placed
    .filter(({ file }) => file !== undefined)
    .map((issue) => `${issue.object.kind} ${issue.path}:${issue.line} ${issue.message} ${issue.remedy}`);
};

test.for([
  [
    "a mirror twice and an unknown policy",
    "imageDigestSources:\n- source: a.example\n  mirrors: [m.example, m.example]\n  sourcePolicy: Never\n",
    [
      'imageDigestSources[0].sourcePolicy:5 sourcePolicy "Never" is unknown; the installer refuses it',
      'imageDigestSources[0].mirrors[1]:4 mirror "m.example" is listed twice; the API server refuses the object',
    ],
  ],
  [
    "the older list",
    older,
    ["imageContentSources:2 imageContentSources is deprecated Rename it to imageDigestSources."],
  ],
  ["both lists", `imageDigestSources:\n${anItem}${older}`, []],
  [
    "a value of another type",
    "imageDigestSources:\n- source: a.example\n  sourcePolicy: 1\n",
    [
      "imageDigestSources[0].sourcePolicy:4 imageDigestSources[0].sourcePolicy must be a string, but is a number Write imageDigestSources[0].sourcePolicy as a string.",
    ],
  ],
] as const)(
  "When an install-config.yaml has %s, its issues should have the names of the file",
  ([, lists, expected]) => {
    expect(judged(lists)).toEqual(expected.map((start) => expect.stringContaining(`File ${start}`)));
  },
);
