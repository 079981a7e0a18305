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
      anImageTagMirrorSet("t", [{ source: "quay.io/ns", mirrors: ["t.lan", "both.lan"] }]),
      anImageContentSourcePolicy("i", [{ source: "quay.io/ns", mirrors: ["i.lan"] }]),
      anImageDigestMirrorSet("d", [{ source: "quay.io/ns", mirrors: ["both.lan", "d.lan"] }]),
    ]);
    expect(sources.get("quay.io/ns")).toEqual({
      source: "quay.io/ns",
      mirrors: [
        { mirror: "both.lan", pulls: "any" },
        { mirror: "i.lan", pulls: "digest" },
        { mirror: "d.lan", pulls: "digest" },
        { mirror: "t.lan", pulls: "tag" },
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
      name: "its source is no source",
      rule: { source: "quay.io/ns:tag", mirrors: ["m.lan"] },
      code: "InvalidSource",
      path: "spec.imageDigestMirrors[0].source",
      source: undefined,
    },
    {
      name: "one of its mirrors is none",
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
      name: "its source is no text",
      rule: { source: 4, mirrors: ["m.lan"] },
      code: "InvalidType",
      path: "spec.imageDigestMirrors[0].source",
      source: undefined,
    },
  ])("When a rule is wrong because $name, it should be dropped and told", ({ rule, code, path, source }) => {
    const { sources, issues } = readManagementMirrors([anImageDigestMirrorSet("a", [rule])]);
    expect([...sources.keys()]).toEqual([]);
    expect(issues).toEqual([{ issue: expect.objectContaining({ code, severity: "error", path }), source }]);
  });

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
        }),
        source: "quay.io",
      },
    ]);
  });

  test("When rules have the same pair, it should be there once, with a warning at the later one", () => {
    const rule = { source: "quay.io", mirrors: ["n.lan", "m.lan"] };
    const { sources, issues } = readManagementMirrors([
      anImageContentSourcePolicy("old", [{ source: "quay.io", mirrors: ["m.lan"] }]),
      anImageDigestMirrorSet("new", [rule]),
      anImageTagMirrorSet("tags", [rule]),
    ]);
    expect(sources.get("quay.io")?.mirrors.map(({ mirror }) => mirror)).toEqual(["n.lan", "m.lan"]);
    expect(issues).toEqual([
      {
        issue: expect.objectContaining({
          code: "RepeatedPair",
          severity: "warning",
          object: { kind: "ImageContentSourcePolicy", name: "old" },
          path: "spec.repositoryDigestMirrors[0].mirrors[0]",
          message:
            "ImageDigestMirrorSet/new spec.imageDigestMirrors[0] has this mirror for the same source already",
        }),
        source: "quay.io",
      },
    ]);
  });

  test("When rules disagree about contacting the source, its mirrors should stay and it not be contacted", () => {
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
});
