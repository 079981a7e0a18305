import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { anImageContentSourcePolicy, anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";
import { readMirrorObjects } from "./read-mirror-sets.ts";
import { rulePath } from "./rules.ts";
import type { Refusing } from "./validate-rules.ts";

const brief = (objects: readonly KubernetesObject[], refusing?: Refusing) => {
  const { rules, issues, unreadable } = readMirrorObjects(objects, refusing);
  return {
    rules: rules.map(({ origin, ...rule }) => ({
      ...rule,
      at: `${origin.object.metadata.name} ${rulePath(origin)}`,
    })),
    issues: issues.map(({ code, severity, path }) => `${severity} ${code} ${path}`),
    remedies: issues.map(({ remedy }) => remedy),
    unreadable,
  };
};

describe("readMirrorObjects", () => {
  test("When all kinds are given, it should read digest sets, content source policies, then tag sets", () => {
    const read = brief([
      anImageTagMirrorSet("tags", [
        { source: "a.io", mirrors: ["t"], mirrorSourcePolicy: "NeverContactSource" },
      ]),
      anImageContentSourcePolicy("old", [{ source: "a.io", mirrors: ["o"] }]),
      anImageDigestMirrorSet("second", [{ source: "b.io", mirrors: ["d"] }, { source: "c.io" }]),
      anImageDigestMirrorSet("first", []),
    ]);
    const policy = "AllowContactingSource";
    const [tags, old, second] = [
      "tags spec.imageTagMirrors[0]",
      "old spec.repositoryDigestMirrors[0]",
      "second spec.imageDigestMirrors",
    ];
    const digest = { pullKind: "digest", policy };
    const never = { pullKind: "tag", policy: "NeverContactSource" };
    expect(read).toEqual({
      rules: [
        { ...digest, source: "b.io", mirrors: ["d"], at: `${second}[0]` },
        { ...digest, source: "c.io", mirrors: [], at: `${second}[1]` },
        { ...digest, source: "a.io", mirrors: ["o"], at: old },
        { ...never, source: "a.io", mirrors: ["t"], at: tags },
      ],
      issues: [],
      remedies: [],
      unreadable: 0,
    });
  });

  const good = { source: "good.io", mirrors: ["m"] };

  const anObject = "an object with source and mirrors";

  test.for<[name: string, rule: unknown, path: string, wanted: string]>([
    ["is not an object", "a.io", "", anObject],
    ["is null", null, "", anObject],
    ["is a list", [], "", anObject],
    ["has a number as source", { source: 1 }, ".source", "a string"],
    ["has a string as mirrors", { source: "a.io", mirrors: "m" }, ".mirrors", "a list of strings"],
    ["has an odd mirror", { source: "a.io", mirrors: ["m", { location: "n" }] }, ".mirrors[1]", "a string"],
    ["has a boolean as policy", { mirrorSourcePolicy: true }, ".mirrorSourcePolicy", "a string"],
  ])("When a rule $0, it should leave out only that rule", ([, rule, field, wanted]) => {
    const path = `spec.imageDigestMirrors[0]${field}`;
    const read = brief([anImageDigestMirrorSet("x", [rule, good])]);
    expect(read.rules.map(({ at }) => at)).toEqual(["x spec.imageDigestMirrors[1]"]);
    expect(read.issues).toEqual([`error InvalidType ${path}`]);
    expect(read.remedies).toEqual([`Write ${path} as ${wanted}.`]);
    expect(read.unreadable).toBe(1);
  });

  const noSpec = "Write a spec with its rules, or remove the object.";

  test.for<[name: string, spec: unknown, issues: string[], remedy?: string | undefined]>([
    ["is missing", undefined, ["error MissingField spec"], noSpec],
    ["is null", null, ["error MissingField spec"], noSpec],
    ["is a list", [], ["error InvalidType spec"], "Write spec as an object."],
    ["is empty", {}, []],
    ["has null as list", { imageDigestMirrors: null }, []],
    [
      "has an object as list",
      { imageDigestMirrors: { source: "a.io" } },
      ["error InvalidType spec.imageDigestMirrors"],
      "Write spec.imageDigestMirrors as a list of rules.",
    ],
    [
      "has unknown fields",
      { mirrorSourcePolicy: "NeverContactSource", imageDigestMirrors: [] },
      ["warning UnknownField spec.mirrorSourcePolicy"],
      "Write it below spec.imageDigestMirrors[].",
    ],
  ])("When the spec $0, it should report $2 and continue", ([, spec, issues, remedy]) => {
    const read = brief([{ ...anImageDigestMirrorSet("x", []), spec }, anImageDigestMirrorSet("y", [good])]);
    expect(read.issues).toEqual(issues);
    expect(read.remedies).toEqual(remedy ? [remedy] : []);
    expect(read.rules.map(({ source }) => source)).toEqual(["good.io"]);
  });

  test.for([
    { kind: "ImageTagMirrorSet", written: "ImageTagMirrors", list: "imageTagMirrors" },
    { kind: "ImageDigestMirrorSet", written: "imagedigestmirrors", list: "imageDigestMirrors" },
  ])(
    "When $kind has its rules in $written, as an example of its enhancement spells it, it should be an error to rename",
    ({ kind, written, list }) => {
      const object = { ...anImageTagMirrorSet("x", []), kind, spec: { [written]: [good, good] } };
      expect(brief([object])).toMatchObject({
        rules: [],
        issues: [`error WrongField spec.${written}`],
        remedies: [`Rename spec.${written} to spec.${list}.`],
      });
    },
  );

  test("When objects are stored, what the API server refuses should be a warning", () => {
    const lists = { imageDigestMirrors: [good], imageTagMirrors: [good] };
    const read = brief(
      [
        { ...anImageDigestMirrorSet("bare", []), spec: undefined },
        { ...anImageTagMirrorSet("both", []), spec: lists },
      ],
      "operator",
    );
    expect(read).toMatchObject({
      rules: [{ at: "both spec.imageTagMirrors[0]" }],
      issues: ["warning MissingField spec", "warning WrongField spec.imageDigestMirrors"],
      unreadable: 0,
    });
  });

  test("When a field is null or missing, it should read what it means", () => {
    const rules = [{ mirrors: null }, { source: null, mirrorSourcePolicy: null }];
    expect(brief([anImageTagMirrorSet("x", rules)])).toMatchObject({
      rules: [
        { source: "", mirrors: [], policy: "AllowContactingSource" },
        { source: "", mirrors: [], policy: "AllowContactingSource" },
      ],
      issues: [],
      unreadable: 0,
    });
  });
});
