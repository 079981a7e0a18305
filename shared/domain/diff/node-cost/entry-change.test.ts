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
const n = mirror("n.lan");
const t = mirror("t.lan", "tag-only");
const twin = mirror("m.lan", "tag-only");
const both = mirror("m.lan", "");
const other = mirror("n.lan", "");
const plain = mirror("m.lan", "digest-only", true);
const moved = { prefix: "a.io", location: "b.io" };
const limited = { mirrorByDigestOnly: true };

/** Found are codes with what the daemon makes of them, the deciding one first. */
type Case = readonly [name: string, before: RegistryEntry, after: RegistryEntry, found: readonly string[]];

const cases: readonly Case[] = [
  ["nothing differs", entry([m, t]), entry([m, t]), []],
  ["prefix differs", entry([m]), entry([m], { prefix: "a.io" }), ["unsafe prefix-changed"]],
  ["location differs", entry([m], { prefix: "a.io" }), entry([m], moved), ["unsafe location-changed"]],
  ["blocked is set", entry([m]), entry([m], { blocked: true }), ["unsafe blocked-changed"]],
  ["blocked is unset", entry([m], { blocked: true }), entry([m]), ["unsafe blocked-changed"]],
  ["insecure is set", entry([m]), entry([m], { insecure: true }), ["unsafe insecure-changed"]],
  ["a mirror is gone", entry([m, t]), entry([m]), ["unsafe mirror-removed"]],
  [
    "a mirror is replaced",
    entry([m]),
    entry([n]),
    ["unsafe mirror-removed", "safe mirror-added-digest-only"],
  ],
  ["a digest mirror is added", entry([m]), entry([n, m]), ["safe mirror-added-digest-only"]],
  ["a tag mirror is added", entry([m]), entry([m, t]), ["unsafe mirror-added-for-tags"]],
  ["a mirror for both is added", entry([m]), entry([m, other]), ["unsafe mirror-added-for-tags"]],
  [
    "a mirror is added to an entry limited to digests",
    entry([both], limited),
    entry([both, other], limited),
    ["safe mirror-added-digest-only"],
  ],
  ["a tag mirror becomes a digest mirror", entry([twin]), entry([m]), ["safe mirror-now-digest-only"]],
  ["a digest mirror becomes a tag mirror", entry([m]), entry([twin]), ["unsafe mirror-pull-kind-changed"]],
  ["a mirror serves both instead of digests", entry([m]), entry([both]), ["unsafe mirror-pull-kind-changed"]],
  ["the tag twin of a digest mirror goes", entry([m, twin]), entry([m]), ["safe not-compared"]],
  ["a tag twin of a digest mirror comes", entry([m]), entry([m, twin]), ["unsafe mirror-pull-kind-changed"]],
  [
    "a digest mirror is added beside a tag twin",
    entry([m, twin]),
    entry([m, n, twin]),
    ["unsafe mirror-pull-kind-changed", "safe mirror-added-digest-only"],
  ],
  ["mirrors are reordered", entry([m, t, n]), entry([n, t, m]), ["safe mirrors-reordered"]],
  ["a mirror needs no TLS any more", entry([m]), entry([plain]), ["safe not-compared"]],
  ["the limit to digests goes", entry([both], limited), entry([both]), ["safe not-compared"]],
];

describe("an entry that both files have", () => {
  test.for(cases)("When $0, it should find $3", ([, before, after, found]) => {
    const findings = compareEntries(before, after);
    expect(findings.map(({ isSafe, code }) => `${isSafe ? "safe" : "unsafe"} ${code}`)).toEqual(found);
    for (const { text } of findings) expect(text).toMatch(/^\S.*\.$/);
  });
});

describe("an entry that only the new file has", () => {
  test.for([
    ["digest mirrors only", entry([m, n]), [true, "entry-added-digest-only"]],
    ["digest mirrors only and is blocked", entry([m], { blocked: true }), [true, "entry-added-digest-only"]],
    ["a tag mirror too", entry([m, t]), [false, "entry-added-for-tags"]],
    ["a mirror for both", entry([both]), [false, "entry-added-for-tags"]],
    ["a mirror for both in an entry of digests", entry([both], limited), [false, "entry-added-for-tags"]],
    ["no mirrors", entry([], { blocked: true }), [false, "entry-added-without-mirrors"]],
    ["no mirrors and is limited to digests", entry([], limited), [true, "entry-added-digest-only"]],
  ] as const)("When it has $0, it should say $2", ([, added, found]) => {
    const { isSafe, code } = findAddedEntry(added);
    expect([isSafe, code]).toEqual(found);
  });
});
