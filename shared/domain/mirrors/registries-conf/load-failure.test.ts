import { expect, test } from "vitest";
import { anEntry } from "./fixtures.ts";
import { asLoaded, loadEntries, loadFailure } from "./load-failure.ts";
import type { RegistryMirror } from "./registries-conf.ts";

const mirror = (location: string, pullFromMirror = ""): RegistryMirror => ({
  location,
  insecure: false,
  pullFromMirror,
});

/* What loads and what does not is compared with containers/image in test/parity/node-files.test.ts; here is what a message names. */

test.for([
  ["a scheme", [anEntry("https://a.io")], "URI schemes"],
  ["a mirror with a scheme", [anEntry("a.io", { mirrors: [mirror("http://m")] })], "URI schemes"],
  ["nothing but slashes", [anEntry("//")], "unset"],
  ["a mirror of slashes", [anEntry("a.io", { mirrors: [mirror("/")] })], "unset"],
  ["a wildcard with a path", [anEntry("", { prefix: "*.a.io/ns" })], "*.example.com"],
  ["one place twice", [anEntry("a.io"), anEntry("a.io/", { blocked: true })], "conflicting"],
  [
    "one location behind two prefixes with another flag",
    [anEntry("a.io", { prefix: "b.io" }), anEntry("a.io", { insecure: true })],
    "conflicting",
  ],
  [
    "both ways to limit mirrors to digests",
    [
      anEntry("a.io", {
        mirrorByDigestOnly: true,
        mirrors: [mirror("m.lan"), mirror("n.lan", "digest-only")],
      }),
    ],
    "mirror-by-digest-only",
  ],
] as const)("When the entries have %s, the runtime should refuse the file", ([, entries, said]) => {
  expect(loadFailure({ entries })).toContain(said);
});

test.for([
  ["a prefix without a location", { entries: [anEntry("", { prefix: "a.io/ns" })] }, "a.io/ns"],
  ["a prefix before a scheme", { entries: [anEntry("https://b.io", { prefix: "a.io" })] }, "URI schemes"],
  ["a mode that is none", { shortNameMode: "strict" }, "short-name-mode"],
  ["a search registry with a path", { unqualifiedSearchRegistries: ["a.io/ns"] }, "a.io/ns"],
  ["an alias with a tag", { aliases: { app: "a.io/app:v1" } }, "no tag or digest"],
  ["an alias for a registry", { aliases: { app: "a.io" } }, "a.io"],
  ["an alias of a full name", { aliases: { "a.io/app": "b.io/app" } }, "a.io/app"],
  ["an alias of a name with a tag", { aliases: { "app:v1": "b.io/app" } }, "app:v1"],
] as const)("When a file has %s, the runtime should refuse it", ([, conf, said]) => {
  expect(loadFailure({ entries: [], ...conf })).toContain(said);
});

test("When entries are loaded, trailing slashes of every location should be dropped", () => {
  const written = anEntry("a.io//", { prefix: "b.io/", mirrors: [mirror("m.lan/c/")] });
  expect(loadEntries([written])).toEqual([anEntry("a.io", { prefix: "b.io", mirrors: [mirror("m.lan/c")] })]);
  expect(asLoaded("/a/b/")).toBe("/a/b");
});
