import { expect, test } from "vitest";
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

test("When an object of an install-config.yaml has issues, they should have the names of the file", () => {
  const text = `baseDomain: a.example\nimageDigestSources:\n- source: a.example\n  mirrors: [m]\n  sourcePolicy: No\n`;
  const { objects } = readManifests(text, "i.yaml", { readsEmbedded: true });
  const object = { kind: "ImageDigestMirrorSet", name: "image-digest-mirror" };
  const rule = "spec.imageDigestMirrors[0]";
  const issues = [`${rule}.mirrors[0]`, `${rule}.mirrorSourcePolicy`].map((path) => ({
    code: "InvalidMirror" as const,
    severity: "error" as const,
    object,
    path,
    value: undefined,
    message: "mirrorSourcePolicy No is unknown; the API server refuses it",
    remedy: "",
  }));
  const placed = withPlaces(issues, objects, [{ file: "i.yaml", text }]);
  expect(
    placed.map(({ object: of, path, message, line }) => `${of.kind} ${path}:${line} ${message}`),
  ).toEqual([
    "File imageDigestSources[0].mirrors[0]:4 sourcePolicy No is unknown; the installer refuses it",
    "File imageDigestSources[0].sourcePolicy:5 sourcePolicy No is unknown; the installer refuses it",
  ]);
});
