import { describe, expect, test } from "vitest";
import {
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
} from "../../mirrors/fixtures.ts";
import { readManagementMirrors } from "./management-mirrors.ts";

const never = { mirrorSourcePolicy: "NeverContactSource" };

describe("readManagementMirrors", () => {
  test("When objects of all kinds have one source, it should put digests first and join what both serve", () => {
    const { sources, issues } = readManagementMirrors([
      anImageTagMirrorSet("t", [{ source: "quay.io/ns", mirrors: ["t.lan/ns", "both.lan/ns"] }]),
      anImageContentSourcePolicy("i", [{ source: "quay.io/ns", mirrors: ["i.lan/ns"] }]),
      anImageDigestMirrorSet("d", [{ source: "quay.io/ns", mirrors: ["both.lan/ns", "d.lan/ns"] }]),
    ]);
    expect(sources.get("quay.io/ns")).toEqual({
      source: "quay.io/ns",
      mirrors: [
        { mirror: "both.lan/ns", pulls: "any" },
        { mirror: "i.lan/ns", pulls: "digest" },
        { mirror: "d.lan/ns", pulls: "digest" },
        { mirror: "t.lan/ns", pulls: "tag" },
      ],
      neverContact: false,
    });
    expect(issues).toEqual([]);
  });

  test("When the objects come in another order, it should give the same", () => {
    const objects = [
      anImageDigestMirrorSet("b", [{ source: "a.io", mirrors: ["z.lan", "b.lan"] }]),
      anImageDigestMirrorSet("a", [{ source: "a.io", mirrors: ["m.lan"] }]),
    ];
    const { sources } = readManagementMirrors(objects);
    expect(sources.get("a.io")?.mirrors.map(({ mirror }) => mirror)).toEqual(["m.lan", "z.lan", "b.lan"]);
    expect(readManagementMirrors(objects.toReversed())).toEqual(readManagementMirrors(objects));
  });

  test.for([
    {
      name: "its source is invalid",
      rule: { source: "https://quay.io/ns", mirrors: ["m.lan"] },
      code: "InvalidSource",
      path: "spec.imageDigestMirrors[0].source",
      source: undefined,
    },
    {
      name: "its source has a tag",
      rule: { source: "quay.io:5000/ns:tag", mirrors: ["m.lan"] },
      code: "InvalidSource",
      path: "spec.imageDigestMirrors[0].source",
      source: "quay.io:5000/ns",
    },
    {
      name: "its source has a tag and a digest",
      rule: { source: "quay.io/ns:tag@sha256:12", mirrors: ["m.lan"] },
      code: "InvalidSource",
      path: "spec.imageDigestMirrors[0].source",
      source: "quay.io/ns",
    },
    {
      name: "one of its mirrors is invalid",
      rule: { source: "quay.io/ns", mirrors: ["m.lan,n.lan=o"] },
      code: "InvalidMirror",
      path: "spec.imageDigestMirrors[0].mirrors[0]",
      source: "quay.io/ns",
    },
    {
      name: "a mirror comes twice",
      rule: { source: "quay.io/ns", mirrors: ["m.lan", "m.lan"] },
      code: "DuplicateMirror",
      path: "spec.imageDigestMirrors[0].mirrors[1]",
      source: "quay.io/ns",
    },
    {
      name: "its source is not a string",
      rule: { source: 4, mirrors: ["m.lan"] },
      code: "InvalidType",
      path: "spec.imageDigestMirrors[0].source",
      source: undefined,
    },
  ])(
    "When a rule is invalid because $name, it should be dropped and reported",
    ({ rule, code, path, source }) => {
      const { sources, issues } = readManagementMirrors([anImageDigestMirrorSet("a", [rule])]);
      expect([...sources.keys()]).toEqual([]);
      expect(issues).toEqual([{ issue: expect.objectContaining({ code, severity: "error", path }), source }]);
    },
  );

  test("When a mirror is the source itself, it should be dropped with a warning", () => {
    const { sources, issues } = readManagementMirrors([
      anImageDigestMirrorSet("a", [{ source: "quay.io", mirrors: ["quay.io", "m.lan"] }]),
    ]);
    expect(sources.get("quay.io")?.mirrors).toEqual([{ mirror: "m.lan", pulls: "digest" }]);
    expect(issues).toEqual([
      {
        issue: expect.objectContaining({
          code: "DroppedPair",
          severity: "warning",
          path: "spec.imageDigestMirrors[0].mirrors[0]",
          value: "quay.io",
          message: "This mirror is the source itself and is left out of the overrides",
          remedy: "Remove it: the source is tried after its mirrors anyway.",
        }),
        source: "quay.io",
      },
    ]);
  });

  test("When one author's order is lost, it should report it and whose order applies", () => {
    const { issues } = readManagementMirrors([
      anImageDigestMirrorSet("one", [
        { source: "quay.io/ns", mirrors: ["a.lan/ns", "b.lan/ns", "c.lan/ns"] },
      ]),
      anImageDigestMirrorSet("two", [
        { source: "quay.io/ns", mirrors: ["c.lan/ns", "b.lan/ns", "a.lan/ns"] },
      ]),
    ]);
    expect(issues).toMatchObject([
      {
        source: "quay.io/ns",
        issue: {
          code: "ContradictingOrder",
          severity: "warning",
          object: { name: "two" },
          message: expect.stringContaining("The order of ImageDigestMirrorSet/one"),
        },
      },
    ]);
  });

  test("When rules have the same pair, it should be there once", () => {
    const rule = { source: "quay.io", mirrors: ["n.lan", "m.lan"] };
    const { sources, issues } = readManagementMirrors([
      anImageContentSourcePolicy("old", [{ source: "quay.io", mirrors: ["m.lan"] }]),
      anImageDigestMirrorSet("new", [rule]),
      anImageTagMirrorSet("tags", [rule]),
    ]);
    expect(sources.get("quay.io")?.mirrors.map(({ mirror }) => mirror)).toEqual(["n.lan", "m.lan"]);
    expect(issues).toEqual([]);
  });

  test("When rules disagree about contacting the source, its mirrors should stay and it should not be contacted", () => {
    const { sources, issues } = readManagementMirrors([
      anImageDigestMirrorSet("a", [{ source: "quay.io", mirrors: ["m.lan"] }]),
      anImageDigestMirrorSet("b", [
        { source: "quay.io", mirrors: ["n.lan"], ...never },
        { source: "quay.io", mirrors: ["BAD:x"], ...never },
      ]),
    ]);
    expect(sources.get("quay.io")).toMatchObject({
      mirrors: [{ mirror: "m.lan" }, { mirror: "n.lan" }],
      neverContact: true,
    });
    expect(issues.map(({ issue: { code }, source }) => [code, source])).toEqual([
      ["ConflictingMirrorSourcePolicy", "quay.io"],
      ["ConflictingMirrorSourcePolicy", "quay.io"],
      ["ConflictingMirrorSourcePolicy", "quay.io"],
      ["InvalidMirror", "quay.io"],
    ]);
  });

  test("When rules have the source itself as its mirror, it should report each, and nothing else", () => {
    const { issues } = readManagementMirrors([
      anImageDigestMirrorSet("a", [
        { source: "quay.io", mirrors: ["quay.io"] },
        { source: "quay.io", mirrors: ["m.lan", "quay.io"] },
      ]),
    ]);
    expect(issues.map(({ issue: { code, path } }) => [code, path])).toEqual([
      ["DroppedPair", "spec.imageDigestMirrors[0].mirrors[0]"],
      ["DroppedPair", "spec.imageDigestMirrors[1].mirrors[1]"],
    ]);
  });

  test("When an issue is about a whole object, it should be about no source", () => {
    const [broken, whole] = [
      { ...anImageDigestMirrorSet("a", []), spec: "x" },
      anImageDigestMirrorSet("b", []),
    ];
    const { issues } = readManagementMirrors([broken, whole]);
    expect(issues).toEqual([
      { issue: expect.objectContaining({ code: "InvalidType", path: "spec" }), source: undefined },
    ]);
  });

  test("When objects of two kinds have one name, each issue should have the source of its own", () => {
    const { issues } = readManagementMirrors([
      anImageDigestMirrorSet("a", [{ source: "quay.io", mirrors: ["BAD:x"] }]),
      anImageTagMirrorSet("a", [{ source: "docker.io", mirrors: ["BAD:y"] }]),
      anImageTagMirrorSet("b", [
        { source: "a.io", mirrors: ["m.lan"] },
        { source: "b.io", mirrors: ["BAD:z"] },
      ]),
    ]);
    expect(issues.map(({ issue, source }) => [issue.value, source])).toEqual([
      ["BAD:x", "quay.io"],
      ["BAD:y", "docker.io"],
      ["BAD:z", "b.io"],
    ]);
  });

  test("When there are several sources, they should be in the order of their code units", () => {
    const mirrors = ["m.lan"];
    const { sources } = readManagementMirrors([
      anImageTagMirrorSet("t", [{ source: "b.io", mirrors }]),
      anImageDigestMirrorSet("d", [
        { source: "c.io", mirrors },
        { source: "a.io", mirrors },
      ]),
    ]);
    expect([...sources.keys()]).toEqual(["a.io", "b.io", "c.io"]);
  });

  test("When a rule is far down its list, its issue should have its source, too", () => {
    const rules = Array.from({ length: 11 }, (_, index) => ({ source: `s${index}.io`, mirrors: ["m.lan"] }));
    const { issues } = readManagementMirrors([
      anImageDigestMirrorSet("a", [...rules, { source: "quay.io", mirrors: ["BAD:x"] }]),
    ]);
    expect(issues.map(({ issue, source }) => [issue.path, source])).toEqual([
      ["spec.imageDigestMirrors[11].mirrors[0]", "quay.io"],
    ]);
  });

  test("When two pairs only look alike side by side, neither should be reported as repeated", () => {
    const { issues } = readManagementMirrors([
      anImageDigestMirrorSet("a", [
        { source: "a.io/x", mirrors: ["mm.lan/y"] },
        { source: "a.io/xm", mirrors: ["m.lan/y"] },
      ]),
    ]);
    expect(issues).toEqual([]);
  });

  test("When tags may be pulled from a source and digests may not, it should never be contacted", () => {
    const { sources } = readManagementMirrors([
      anImageDigestMirrorSet("d", [{ source: "quay.io", mirrors: ["d.lan"], ...never }]),
      anImageTagMirrorSet("t", [{ source: "quay.io", mirrors: ["t.lan"] }]),
    ]);
    expect(sources.get("quay.io")?.neverContact).toBe(true);
  });

  test("When several objects are invalid, they should be reported by name within a kind, regardless of their order", () => {
    const bad = (source: string) => [{ source, mirrors: ["BAD:x"] }];
    const objects = [
      anImageTagMirrorSet("a", bad("1.io")),
      anImageDigestMirrorSet("c", bad("2.io")),
      anImageContentSourcePolicy("d", bad("3.io")),
      anImageDigestMirrorSet("b", bad("4.io")),
    ];
    for (const given of [objects, objects.toReversed()])
      expect(readManagementMirrors(given).issues.map(({ source }) => source)).toEqual([
        "4.io",
        "2.io",
        "3.io",
        "1.io",
      ]);
  });
});
