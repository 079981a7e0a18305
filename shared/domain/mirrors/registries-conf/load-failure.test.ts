import { expect, test } from "vitest";
import { anEntry } from "./fixtures.ts";
import { asLoaded, loadEntries, loadFailure } from "./load-failure.ts";
import type { RegistryMirror } from "./registries-conf.ts";

const mirror = (location: string, pullFromMirror = ""): RegistryMirror => ({
  location,
  insecure: false,
  pullFromMirror,
});

test.for([
  { name: "there are no entries", entries: [] },
  { name: "locations differ", entries: [anEntry("a.io"), anEntry("a.io/ns", { blocked: true })] },
  { name: "a place occurs twice with the same flags", entries: [anEntry("a.io"), anEntry("a.io/")] },
  { name: "a prefix names a namespace", entries: [anEntry("b.io", { prefix: "a.io/ns" })] },
  { name: "a path only looks like a URL", entries: [anEntry("a.io/http://b")] },
  {
    name: "two wildcards differ in their flags",
    entries: [anEntry("", { prefix: "*.a.io" }), anEntry("", { prefix: "*.b.io", blocked: true })],
  },
  { name: "a wildcard has no location", entries: [anEntry("", { prefix: "*.a.io" })] },
  {
    name: "an entry as a whole is limited to digests",
    entries: [anEntry("a.io", { mirrorByDigestOnly: true, mirrors: [mirror("m.lan")] })],
  },
])("When $name, the runtime should load the entries", ({ entries }) => {
  expect(loadFailure(entries)).toBeUndefined();
});

test.for([
  { name: "a scheme", entries: [anEntry("https://a.io")], said: "URI schemes" },
  {
    name: "a mirror with a scheme",
    entries: [anEntry("a.io", { mirrors: [mirror("http://m")] })],
    said: "URI schemes",
  },
  { name: "nothing but slashes", entries: [anEntry("//")], said: "unset" },
  { name: "a mirror of slashes", entries: [anEntry("a.io", { mirrors: [mirror("/")] })], said: "unset" },
  { name: "a wildcard with a path", entries: [anEntry("", { prefix: "*.a.io/ns" })], said: "*.example.com" },
  {
    name: "one place twice with another flag",
    entries: [anEntry("a.io"), anEntry("a.io/", { blocked: true })],
    said: "conflicting",
  },
  {
    name: "one location behind two prefixes with another flag",
    entries: [anEntry("a.io", { prefix: "b.io" }), anEntry("a.io", { insecure: true })],
    said: "conflicting",
  },
  {
    name: "both ways to limit mirrors to digests",
    entries: [
      anEntry("a.io", {
        mirrorByDigestOnly: true,
        mirrors: [mirror("m.lan"), mirror("n.lan", "digest-only")],
      }),
    ],
    said: "mirror-by-digest-only",
  },
])("When the entries have $name, the runtime should refuse the file", ({ entries, said }) => {
  expect(loadFailure(entries)).toContain(said);
});

test("When entries are loaded, trailing slashes of every location should be dropped", () => {
  const written = anEntry("a.io//", { prefix: "b.io/", mirrors: [mirror("m.lan/c/")] });
  expect(loadEntries([written])).toEqual([anEntry("a.io", { prefix: "b.io", mirrors: [mirror("m.lan/c")] })]);
  expect(asLoaded("/a/b/")).toBe("/a/b");
});
