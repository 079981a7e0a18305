import { describe, expect, test } from "vitest";
import { catalogReader } from "./catalog.ts";
import { parseCatalogSelection } from "./wanted-images.ts";

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
  test.for([
    {
      selection: "index",
      images: ["q.io/ptp-bundle", "q.io/sriov.v3-bundle", "q.io/three"],
      packages: [],
      problems: [],
    },
    {
      selection: "index=sriov:old",
      images: ["q.io/sriov.v1-bundle", "q.io/one"],
      packages: [{ name: "sriov", channel: "old", defaultChannel: "stable" }],
      problems: [],
    },
    {
      selection: "index=sriov,ptp:stable",
      images: ["q.io/sriov.v3-bundle", "q.io/three", "q.io/ptp-bundle"],
      packages: [
        { name: "sriov", channel: "stable", defaultChannel: "stable" },
        { name: "ptp", channel: "stable", defaultChannel: "stable" },
      ],
      problems: [],
    },
    { selection: "index=none", images: [], packages: [], problems: ["there is no package none"] },
    {
      selection: "index=sriov:none",
      images: [],
      packages: [],
      problems: ["package sriov has no channel none"],
    },
  ])(
    "When $selection is selected, it should have the images at the heads of its channels",
    ({ selection, ...content }) => {
      expect(read(selection)).toEqual(content);
    },
  );

  test.for([
    { what: "no packages", file: "{}", problem: "the catalog has no packages" },
    { what: "no valid YAML", file: "a: [", problem: "a.yaml is not valid" },
    {
      what: "a channel without its bundle",
      file: json(aPackage("a", "c"), aChannel("a", "c", [{ name: "b" }])),
      problem: "channel c of package a has no bundle b",
    },
    {
      what: "no default channel",
      file: json(aPackage("a", "")),
      problem: "package a has no channel by default",
    },
  ])("When a catalog has $what, it should be a problem", ({ file, problem }) => {
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
