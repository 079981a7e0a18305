import { describe, expect, test } from "vitest";
import { anEntry } from "../../mirrors/registries-conf/fixtures.ts";
import type { RegistryEntry, RegistryMirror } from "../../mirrors/registries-conf/registries-conf.ts";
import { compareEntries, findAddedEntry } from "./entry-change.ts";

const mirror = (location: string, pullFromMirror = "digest-only", insecure = false): RegistryMirror => ({
  location,
  insecure,
  pullFromMirror,
});
const entry = (mirrors: readonly RegistryMirror[], fields: Partial<RegistryEntry> = {}) =>
  anEntry("quay.io/ns", { mirrors, ...fields });
const m = mirror("m.lan");
const t = mirror("t.lan", "tag-only");

type Case = Readonly<{
  name: string;
  before: RegistryEntry;
  after: RegistryEntry;
  /** Codes with what the daemon makes of them, the deciding one first. */
  found: readonly string[];
}>;

const cases: readonly Case[] = [
  { name: "nothing differs", before: entry([m, t]), after: entry([m, t]), found: [] },
  {
    name: "prefix differs",
    before: entry([m]),
    after: entry([m], { prefix: "a.io" }),
    found: ["unsafe prefix-changed"],
  },
  {
    name: "location differs",
    before: entry([m], { prefix: "a.io" }),
    after: entry([m], { prefix: "a.io", location: "b.io" }),
    found: ["unsafe location-changed"],
  },
  {
    name: "blocked is set",
    before: entry([m]),
    after: entry([m], { blocked: true }),
    found: ["unsafe blocked-changed"],
  },
  {
    name: "blocked is unset",
    before: entry([m], { blocked: true }),
    after: entry([m]),
    found: ["unsafe blocked-changed"],
  },
  {
    name: "insecure is set",
    before: entry([m]),
    after: entry([m], { insecure: true }),
    found: ["unsafe insecure-changed"],
  },
  { name: "a mirror is gone", before: entry([m, t]), after: entry([m]), found: ["unsafe mirror-removed"] },
  {
    name: "a digest mirror is replaced",
    before: entry([m]),
    after: entry([mirror("n.lan")]),
    found: ["unsafe mirror-removed", "safe mirror-added-digest-only"],
  },
  {
    name: "a digest mirror is added",
    before: entry([m]),
    after: entry([mirror("n.lan"), m]),
    found: ["safe mirror-added-digest-only"],
  },
  {
    name: "a tag mirror is added",
    before: entry([m]),
    after: entry([m, t]),
    found: ["unsafe mirror-added-for-tags"],
  },
  {
    name: "a mirror for both is added",
    before: entry([m]),
    after: entry([m, mirror("n.lan", "")]),
    found: ["unsafe mirror-added-for-tags"],
  },
  {
    name: "a mirror is added to an entry that is limited to digests as a whole",
    before: entry([mirror("m.lan", "")], { mirrorByDigestOnly: true }),
    after: entry([mirror("m.lan", ""), mirror("n.lan", "")], { mirrorByDigestOnly: true }),
    found: ["safe mirror-added-digest-only"],
  },
  {
    name: "a tag mirror becomes a digest mirror",
    before: entry([mirror("m.lan", "tag-only")]),
    after: entry([m]),
    found: ["safe mirror-now-digest-only"],
  },
  {
    name: "a digest mirror becomes a tag mirror",
    before: entry([m]),
    after: entry([mirror("m.lan", "tag-only")]),
    found: ["unsafe mirror-pull-kind-changed"],
  },
  {
    name: "a mirror serves both instead of digests",
    before: entry([m]),
    after: entry([mirror("m.lan", "")]),
    found: ["unsafe mirror-pull-kind-changed"],
  },
  {
    name: "the tag twin of a digest mirror goes",
    before: entry([m, mirror("m.lan", "tag-only")]),
    after: entry([m]),
    found: ["safe not-compared"],
  },
  {
    name: "a tag twin of a digest mirror comes",
    before: entry([m]),
    after: entry([m, mirror("m.lan", "tag-only")]),
    found: ["unsafe mirror-pull-kind-changed"],
  },
  {
    name: "an entry with a digest mirror and its tag twin gets one more digest mirror",
    before: entry([m, mirror("m.lan", "tag-only")]),
    after: entry([m, mirror("n.lan"), mirror("m.lan", "tag-only")]),
    found: ["unsafe mirror-pull-kind-changed", "safe mirror-added-digest-only"],
  },
  {
    name: "mirrors are reordered",
    before: entry([m, t, mirror("n.lan")]),
    after: entry([mirror("n.lan"), t, m]),
    found: ["safe mirrors-reordered"],
  },
  {
    name: "a mirror needs no TLS any more",
    before: entry([m]),
    after: entry([mirror("m.lan", "digest-only", true)]),
    found: ["safe not-compared"],
  },
  {
    name: "the limit to digests of the whole entry goes",
    before: entry([mirror("m.lan", "")], { mirrorByDigestOnly: true }),
    after: entry([mirror("m.lan", "")]),
    found: ["safe not-compared"],
  },
];

describe("an entry that both files have", () => {
  test.for(cases)("When $name, it should find $found", ({ before, after, found }) => {
    const findings = compareEntries(before, after);
    expect(findings.map(({ isSafe, code }) => `${isSafe ? "safe" : "unsafe"} ${code}`)).toEqual(found);
    for (const { text } of findings) expect(text).toMatch(/^\S.*\.$/);
  });
});

describe("an entry that only the new file has", () => {
  test.for([
    {
      name: "digest mirrors only",
      added: entry([m, mirror("n.lan")]),
      found: [true, "entry-added-digest-only"],
    },
    {
      name: "digest mirrors only and is blocked",
      added: entry([m], { blocked: true }),
      found: [true, "entry-added-digest-only"],
    },
    { name: "a tag mirror too", added: entry([m, t]), found: [false, "entry-added-for-tags"] },
    {
      name: "a mirror for both",
      added: entry([mirror("m.lan", "")]),
      found: [false, "entry-added-for-tags"],
    },
    {
      name: "a mirror for both although the entry is limited to digests",
      added: entry([mirror("m.lan", "")], { mirrorByDigestOnly: true }),
      found: [false, "entry-added-for-tags"],
    },
    {
      name: "no mirrors",
      added: entry([], { blocked: true }),
      found: [false, "entry-added-without-mirrors"],
    },
    {
      name: "no mirrors and is limited to digests",
      added: entry([], { mirrorByDigestOnly: true }),
      found: [true, "entry-added-digest-only"],
    },
  ])("When it has $name, it should say $found", ({ added, found }) => {
    const { isSafe, code } = findAddedEntry(added);
    expect([isSafe, code]).toEqual(found);
  });
});
