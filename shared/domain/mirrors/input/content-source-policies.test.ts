import { expect, test } from "vitest";
import { anImageContentSourcePolicy, anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";
import { readMirrorObjects } from "./read-mirror-sets.ts";
import { contentSourcePolicies } from "./rules.ts";

const a = { source: "a.io", mirrors: ["m.lab", "n.lab"] };
const b = { source: "b.io", mirrors: ["m.lab"] };
const old = anImageContentSourcePolicy("old", [a, b]);

test.for([
  [
    "no mirror set holds its rules",
    [anImageTagMirrorSet("t", [a, b])],
    /2 of its 2 rules/,
    /^Create the ImageDigestMirrorSet that `hubrelay convert` makes/,
  ],
  [
    "a rule only looks alike when its mirrors are written without a gap",
    [anImageDigestMirrorSet("d", [b, { ...a, mirrors: ["m.labn.lab"] }])],
    /1 of its 2 rules/,
    /^Create/,
  ],
  ["one of its rules is missing", [anImageDigestMirrorSet("d", [b])], /1 of its 2 rules/, /^Create/],
  [
    "a rule has its mirrors in another order",
    [anImageDigestMirrorSet("d", [b, { ...a, mirrors: a.mirrors.toReversed() }])],
    /1 of its 2 rules/,
    /^Create/,
  ],
  [
    "two mirror sets hold its rules together",
    [anImageDigestMirrorSet("d", [b]), anImageDigestMirrorSet("e", [a, b])],
    /all its rules are in ImageDigestMirrorSet\/e, ImageDigestMirrorSet\/d too/,
    /^Delete it: .* no node is affected\.$/,
  ],
] as const)("When %s, it should say so", ([, others, message, remedy]) => {
  expect(contentSourcePolicies(readMirrorObjects([old, ...others]).rules)).toEqual([
    expect.objectContaining({
      code: "DeprecatedKind",
      severity: "warning",
      object: { kind: "ImageContentSourcePolicy", name: "old" },
      path: "kind",
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(remedy),
    }),
  ]);
});

test("When there is no content source policy, it should report nothing", () => {
  expect(contentSourcePolicies(readMirrorObjects([anImageDigestMirrorSet("d", [a])]).rules)).toEqual([]);
});
