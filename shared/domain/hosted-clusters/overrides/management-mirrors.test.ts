import { describe, expect, test } from "vitest";
import { tryParseImageReference } from "../../images/image-reference.ts";
import {
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
} from "../../mirrors/fixtures.ts";
import { locationsOf, readManagementMirrors } from "./management-mirrors.ts";

const never = { mirrorSourcePolicy: "NeverContactSource" };
const rule = (source: unknown, ...mirrors: readonly unknown[]) => ({ source, mirrors });

describe("readManagementMirrors", () => {
  test("When objects of all kinds have one source, it should put digests first and join what both serve", () => {
    const mirrors = readManagementMirrors([
      anImageTagMirrorSet("t", [rule("quay.io/ns", "t.lan/ns", "both.lan/ns")]),
      anImageContentSourcePolicy("i", [rule("quay.io/ns", "i.lan/ns")]),
      anImageDigestMirrorSet("d", [rule("quay.io/ns", "both.lan/ns", "d.lan/ns", "quay.io/ns")]),
    ]);
    expect(mirrors.get("quay.io/ns")).toEqual({
      source: "quay.io/ns",
      mirrors: [
        { mirror: "both.lan/ns", pulls: "any" },
        { mirror: "i.lan/ns", pulls: "digest" },
        { mirror: "d.lan/ns", pulls: "digest" },
        { mirror: "t.lan/ns", pulls: "tag" },
      ],
      neverContact: false,
    });
  });

  test("When the objects come in another order, it should give the same, by source", () => {
    const objects = [
      anImageDigestMirrorSet("b", [rule("c.io", "m.lan"), rule("a.io", "z.lan", "b.lan")]),
      anImageDigestMirrorSet("a", [rule("a.io", "m.lan")]),
      anImageTagMirrorSet("t", [rule("b.io", "m.lan")]),
    ];
    const mirrors = readManagementMirrors(objects);
    expect(mirrors.get("a.io")?.mirrors.map(({ mirror }) => mirror)).toEqual(["m.lan", "z.lan", "b.lan"]);
    expect([...mirrors.keys()]).toEqual(["a.io", "b.io", "c.io"]);
    expect(readManagementMirrors(objects.toReversed())).toEqual(mirrors);
  });

  test.for([
    ["https://quay.io/ns", "m.lan"],
    ["quay.io:5000/ns:tag", "m.lan"],
    ["quay.io/ns", "m.lan,n.lan=o"],
    ["quay.io/ns", "m.lan", "m.lan"],
    [4, "m.lan"],
  ] as const)("When a rule is invalid, as with %j, it should be left out", ([source, ...mirrors]) => {
    expect(readManagementMirrors([anImageDigestMirrorSet("a", [rule(source, ...mirrors)])]).size).toBe(0);
  });

  test("When rules disagree about contacting the source, its mirrors should stay and it should not be contacted", () => {
    const mirrors = readManagementMirrors([
      anImageDigestMirrorSet("a", [rule("quay.io", "m.lan")]),
      anImageDigestMirrorSet("b", [{ ...rule("quay.io", "n.lan"), ...never }, rule("quay.io", "BAD:x")]),
      anImageDigestMirrorSet("c", [{ ...rule("docker.io", "d.lan"), ...never }]),
      anImageTagMirrorSet("t", [rule("docker.io", "t.lan")]),
    ]);
    expect(mirrors.get("quay.io")).toMatchObject({
      mirrors: [{ mirror: "m.lan" }, { mirror: "n.lan" }],
      neverContact: true,
    });
    expect(mirrors.get("docker.io")?.neverContact).toBe(true);
  });
});

describe("locationsOf", () => {
  const digest = `sha256:${"d".repeat(64)}`;
  type Rules = Parameters<typeof anImageDigestMirrorSet>[1];
  function locations(image: string, digestRules: Rules, tagRules: Rules = []) {
    const reference = tryParseImageReference(image);
    const objects = [anImageDigestMirrorSet("d", digestRules), anImageTagMirrorSet("t", tagRules)];
    return reference && locationsOf(reference, readManagementMirrors(objects));
  }

  test("When sources are nested, it should begin with the nearest and keep the order of mirrors", () => {
    const rules = [
      rule("quay.io", "wide.lan"),
      rule("quay.io/ns", "z.lan/ns", "a.lan/ns"),
      rule("*.io", "any.lan"),
      rule("quay.io/ns/app", "app.lan:5000/x"),
      rule("quay.io/ns/ap", "never.lan"),
      rule("quay.io:5000", "never.lan"),
    ];
    expect(locations(`quay.io/ns/app@${digest}`, rules)).toEqual(
      [
        "app.lan:5000/x",
        "z.lan/ns/app",
        "a.lan/ns/app",
        "wide.lan/ns/app",
        "any.lan/ns/app",
        "quay.io/ns/app",
      ].map((repository) => `${repository}@${digest}`),
    );
  });

  test("When mirrors serve pulls of one kind, it should take only those of the image's", () => {
    const [digests, tags] = [[rule("quay.io/ns", "d.lan")], [rule("quay.io", "t.lan")]];
    expect(locations("quay.io/ns/app:1", digests, tags)).toEqual(["t.lan/ns/app:1", "quay.io/ns/app:1"]);
    const image = `quay.io/ns/app@${digest}`;
    expect(locations(image, digests, tags)).toEqual([`d.lan/app@${digest}`, image]);
  });

  test("When a source must never be contacted, only a nearer source should allow that", () => {
    const rules = [{ ...rule("quay.io", "m.lan"), ...never }];
    const [image, mirrored] = [`quay.io/ns/app@${digest}`, `m.lan/ns/app@${digest}`];
    expect(locations(image, rules)).toEqual([mirrored]);
    const nearer = [...rules, rule("quay.io/ns", "quay.io/other")];
    expect(locations(image, nearer)).toEqual([mirrored, image]);
  });
});
