import { expect, test } from "vitest";
import { anImageContentSourcePolicy, anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";
import { contentSourcePolicies } from "./content-source-policies.ts";
import { readMirrorObjects } from "./read-mirror-sets.ts";

const a = { source: "a.io", mirrors: ["m.lab", "n.lab"] };
const b = { source: "b.io", mirrors: ["m.lab"] };
const old = anImageContentSourcePolicy("old", [a, b]);

test.for([
  {
    name: "no mirror set holds its rules",
    others: [anImageTagMirrorSet("t", [a, b])],
    message: /2 of its 2 rules/,
    remedy: /^Create the ImageDigestMirrorSet that `hubrelay convert` makes/,
  },
  {
    name: "a rule only looks alike when its mirrors are written without a gap",
    others: [anImageDigestMirrorSet("d", [b, { ...a, mirrors: ["m.labn.lab"] }])],
    message: /1 of its 2 rules/,
    remedy: /^Create/,
  },
  {
    name: "one of its rules is missing",
    others: [anImageDigestMirrorSet("d", [b])],
    message: /1 of its 2 rules/,
    remedy: /^Create/,
  },
  {
    name: "a rule has its mirrors in another order",
    others: [anImageDigestMirrorSet("d", [b, { ...a, mirrors: a.mirrors.toReversed() }])],
    message: /1 of its 2 rules/,
    remedy: /^Create/,
  },
  {
    name: "two mirror sets hold its rules together",
    others: [anImageDigestMirrorSet("d", [b]), anImageDigestMirrorSet("e", [a, b])],
    message: /all its rules are in ImageDigestMirrorSet\/e, ImageDigestMirrorSet\/d too/,
    remedy: /^Delete it: .* no node is affected\.$/,
  },
])("When $name, it should say so", ({ others, message, remedy }) => {
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
