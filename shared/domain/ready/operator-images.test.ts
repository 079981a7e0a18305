import { describe, expect, test } from "vitest";
import { parseCatalogSelection } from "./catalog-selection.ts";
import { catalogReader } from "./operator-images.ts";

const json = (...blobs: readonly unknown[]) => blobs.map((blob) => JSON.stringify(blob)).join("\n");
const aPackage = (name: string, defaultChannel: string) => ({ schema: "olm.package", name, defaultChannel });
const aChannel = (owner: string, name: string, entries: readonly unknown[]) => ({
  schema: "olm.channel",
  package: owner,
  name,
  entries,
});
const aBundle = (owner: string, name: string, ...images: readonly string[]) => ({
  schema: "olm.bundle",
  package: owner,
  name,
  image: `q.io/${name}-bundle`,
  relatedImages: [...images, `q.io/${name}-bundle`, ""].map((image) => ({ name: "", image })),
});

const sriov = json(
  aPackage("sriov", "stable"),
  aChannel("sriov", "stable", [
    { name: "sriov.v1" },
    { name: "sriov.v3", replaces: "sriov.v1", skips: ["sriov.v2"] },
    { name: "sriov.v2", replaces: "sriov.v1" },
  ]),
  aChannel("sriov", "old", [{ name: "sriov.v1" }]),
  aBundle("sriov", "sriov.v1", "q.io/one"),
  aBundle("sriov", "sriov.v2", "q.io/two"),
  aBundle("sriov", "sriov.v3", "q.io/three", "q.io/three"),
);
const ptp = `---
schema: olm.package
name: ptp
defaultChannel: stable
---
schema: olm.channel
package: ptp
name: stable
entries:
- name: ptp.v1
---
schema: olm.bundle
package: ptp
name: ptp.v1
image: q.io/ptp-bundle
`;

function read(
  selection: string,
  files: Readonly<Record<string, string>> = { "configs/a/catalog.json": sriov, "b.yaml": ptp },
) {
  const reader = catalogReader(parseCatalogSelection(selection) ?? { index: "", packages: [] });
  for (const [path, text] of Object.entries(files)) reader.add(path, text);
  return reader.content();
}

describe("catalogReader", () => {
  const chosen = (name: string, channel: string) => ({ name, channel, defaultChannel: "stable" });
  const heads = ["q.io/ptp-bundle", "q.io/sriov.v3-bundle", "q.io/three"];
  const both = ["q.io/sriov.v3-bundle", "q.io/three", "q.io/ptp-bundle"];
  test.for<readonly [string, readonly string[], packages?: readonly object[], problems?: readonly string[]]>([
    ["index", heads],
    ["index=sriov:old", ["q.io/sriov.v1-bundle", "q.io/one"], [chosen("sriov", "old")]],
    ["index=sriov,ptp:stable", both, [chosen("sriov", "stable"), chosen("ptp", "stable")]],
    [
      "index=sriov:stable:sriov.v2,ptp:stable:gone",
      ["q.io/sriov.v3-bundle", "q.io/three", "q.io/sriov.v2-bundle", "q.io/two", "q.io/ptp-bundle"],
      [chosen("sriov", "stable"), chosen("ptp", "stable")],
    ],
    ["index=none", [], [], ["there is no package none"]],
    ["index=sriov:none", [], [], ["package sriov has no channel none"]],
  ])(
    "When $0 is selected, it should have the images at the heads of its channels",
    ([selection, images, packages = [], problems = []]) => {
      expect(read(selection)).toEqual({ images, packages, problems });
    },
  );

  test.for([
    [
      "one replaces each other",
      [
        { name: "a", replaces: "b" },
        { name: "b", replaces: "a" },
      ],
      "b",
    ],
    ["none replaces another", [{ name: "a" }, { name: "b" }], "b"],
  ] as const)(
    "When a channel has no single head because $0, it should be $2, as on the node",
    ([, entries, head]) => {
      const bundles = ["a", "b"].map((name) => aBundle("p", name));
      const file = json(aPackage("p", "c"), aChannel("p", "c", entries), ...bundles);
      expect(read("index=p:c", { "a.json": file }).images).toEqual([`q.io/${head}-bundle`]);
    },
  );

  const noBundle = json(aPackage("a", "c"), aChannel("a", "c", [{ name: "b" }]));
  test.for([
    ["no packages", "{}", "the catalog has no packages"],
    ["no valid YAML", "a: [", "a.yaml is not valid"],
    ["a channel without its bundle", noBundle, "channel c of package a has no bundle b"],
    ["no default channel", json(aPackage("a", "")), "package a has no channel by default"],
  ] as const)("When a catalog has $0, it should be a problem", ([, file, problem]) => {
    expect(read("index", { "a.yaml": file }).problems.join()).toContain(problem);
  });

  test("When objects have other types than a catalog's, they should be ignored", () => {
    const odd = json(
      { schema: "olm.package", name: 1 },
      { schema: "olm.channel", package: [], name: "a" },
      { schema: "olm.bundle", package: "a", name: "b", relatedImages: "c" },
      { schema: "olm.channel", package: "a", name: "c", entries: [1, null, { name: {} }] },
    );
    expect(read("index=a:c", { "a.json": odd, "README.md": "{" })).toEqual({
      images: [],
      packages: [{ name: "a", channel: "c" }],
      problems: [],
    });
  });
});
