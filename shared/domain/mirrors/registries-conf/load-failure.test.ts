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
  expect(loadFailure({ entries })).toBeUndefined();
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
  expect(loadFailure({ entries })).toContain(said);
});

test.for([
  {
    name: "a prefix without a location",
    conf: { entries: [anEntry("", { prefix: "a.io/ns" })] },
    said: "a.io/ns",
  },
  {
    name: "a prefix before a location with a scheme",
    conf: { entries: [anEntry("https://b.io", { prefix: "a.io" })] },
    said: "URI schemes",
  },
  { name: "a mode that is none", conf: { shortNameMode: "strict" }, said: "short-name-mode" },
  {
    name: "a search registry with a path",
    conf: { unqualifiedSearchRegistries: ["a.io/ns"] },
    said: "a.io/ns",
  },
  { name: "an alias with a tag", conf: { aliases: { app: "a.io/app:v1" } }, said: "no tag or digest" },
  { name: "an alias for a registry", conf: { aliases: { app: "a.io" } }, said: "a.io" },
  { name: "an alias of a full name", conf: { aliases: { "a.io/app": "b.io/app" } }, said: "a.io/app" },
  { name: "an alias of a name with a tag", conf: { aliases: { "app:v1": "b.io/app" } }, said: "app:v1" },
])("When a file has $name, the runtime should refuse it", ({ conf, said }) => {
  expect(loadFailure({ entries: [], ...conf })).toContain(said);
});

test.for([
  { name: "an alias", conf: { aliases: { "ns/app": "localhost/app", app: "docker.io/app" } } },
  { name: "an alias that removes another", conf: { aliases: { app: "" } } },
  { name: "search registries with ports", conf: { unqualifiedSearchRegistries: ["a.io:5000", "b.lan/"] } },
])("When a file has $name, the runtime should load it", ({ conf }) => {
  expect(loadFailure({ entries: [], shortNameMode: "enforcing", ...conf })).toBeUndefined();
});

test("When entries are loaded, trailing slashes of every location should be dropped", () => {
  const written = anEntry("a.io//", { prefix: "b.io/", mirrors: [mirror("m.lan/c/")] });
  expect(loadEntries([written])).toEqual([anEntry("a.io", { prefix: "b.io", mirrors: [mirror("m.lan/c")] })]);
  expect(asLoaded("/a/b/")).toBe("/a/b");
});
