import { describe, expect, test } from "vitest";
import { nodePaths } from "../openshift/machine-config/node-file.ts";
import { configureMirrors, type MirrorInput } from "./configuration.ts";
import { anImage, anImageDigestMirrorSet, anImageTagMirrorSet, issueLines } from "./fixtures.ts";
import { showEntries } from "./registries-conf/fixtures.ts";

const topLevel = `unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""
`;

const good = { source: "good.io", mirrors: ["m.lab/good"] };
const stored = { isStored: true } as const;

describe("configureMirrors", () => {
  test("When a whole configuration is given, it should write registries.conf as machine-config-operator does", () => {
    const input = {
      objects: [
        anImageTagMirrorSet("tags", [{ source: "*.corp.io", mirrors: ["m.local/c"] }]),
        anImageDigestMirrorSet("digests", [
          { source: "quay.io/ns", mirrors: ["m1.local/ns", "m2.local:5000/ns"] },
        ]),
      ],
      image: anImage({ insecureRegistries: ["m1.local"], blockedRegistries: ["docker.io"] }),
    };
    for (const options of [{}, stored, { writer: "hubrelay" as const }]) {
      const rendered = configureMirrors(input, options);
      expect(rendered).toMatchObject({ refused: false, issues: [], applied: 2, leftOut: 0 });
      expect(rendered.registriesConf).toBe(`${topLevel}
[[registry]]
  prefix = ""
  location = "quay.io/ns"

  [[registry.mirror]]
    location = "m1.local/ns"
    insecure = true
    pull-from-mirror = "digest-only"

  [[registry.mirror]]
    location = "m2.local:5000/ns"
    pull-from-mirror = "digest-only"

[[registry]]
  prefix = "*.corp.io"

  [[registry.mirror]]
    location = "m.local/c"
    pull-from-mirror = "tag-only"

[[registry]]
  prefix = ""
  location = "docker.io"
  blocked = true

[[registry]]
  prefix = ""
  location = "m1.local"
  insecure = true
`);
    }
  });

  test("When nothing is given, it should give the encoded template, and no file", () => {
    for (const options of [{}, stored]) {
      expect(configureMirrors({ objects: [] }, options)).toMatchObject({
        refused: false,
        issues: [],
        entries: [],
        basis: { merged: { digest: [], tag: [] }, insecure: [], blocked: [] },
        registriesConf: topLevel,
        files: [],
        applied: 0,
        leftOut: 0,
      });
    }
  });

  test.for<[name: string, input: MirrorInput, paths: string[]]>([
    ["an object has no rule", { objects: [anImageDigestMirrorSet("a", [])] }, [nodePaths.registriesConf]],
    [
      "the insecure list is empty",
      { objects: [], image: anImage({ insecureRegistries: [] }) },
      [nodePaths.registriesConf],
    ],
    ["the blocked list is empty", { objects: [], image: anImage({ blockedRegistries: [] }) }, []],
    ["the allowed list is empty", { objects: [], image: anImage({ allowedRegistries: [] }) }, []],
    [
      "a scope is blocked",
      { objects: [], image: anImage({ blockedRegistries: ["b.io"] }) },
      [nodePaths.registriesConf, nodePaths.policy],
    ],
    ["one is allowed", { objects: [], image: anImage({ allowedRegistries: ["b.io"] }) }, [nodePaths.policy]],
  ])("When $0, it should write $2", ([, input, paths]) => {
    for (const options of [{}, stored]) {
      expect(configureMirrors(input, options).files.map(({ path }) => path)).toEqual(paths);
    }
  });
});

describe("a wrong rule", () => {
  const input = {
    objects: [
      anImageDigestMirrorSet("mixed", [
        { source: "bad.io:tag/x", mirrors: ["m.lab"] },
        good,
        { source: "b.io", mirrors: ["m.lab", "BAD/X"] },
        7,
      ]),
    ],
  };

  test("When anything is refused, it should refuse everything, with every reason, and tell what the rest would give", () => {
    const { validRules, ...refused } = configureMirrors(input);
    expect(refused).toMatchObject({
      refused: true,
      entries: [],
      registriesConf: "",
      files: [],
      applied: 0,
      leftOut: 4,
    });
    expect(issueLines(input)).toEqual([
      "error InvalidType mixed spec.imageDigestMirrors[3]",
      "error InvalidSource mixed spec.imageDigestMirrors[0].source",
      "error InvalidMirror mixed spec.imageDigestMirrors[2].mirrors[1]",
    ]);
    expect(showEntries(validRules?.entries ?? [])).toEqual(["good.io m.lab/good"]);
    expect(validRules?.applied).toBe(1);
  });

  test("When only the API server refuses it, the operator's files should be given, and hubrelay write none", () => {
    const objects = [anImageDigestMirrorSet("a", [{ source: "a.io", mirrors: ["m.lab", "m.lab"] }, good])];
    expect(issueLines({ objects })).toEqual([
      "error DuplicateMirror a spec.imageDigestMirrors[0].mirrors[1]",
    ]);
    const written = configureMirrors({ objects });
    expect(written).toMatchObject({ refused: false, applied: 2 });
    expect(written.files).toEqual(configureMirrors({ objects }, stored).files);
    expect(configureMirrors({ objects }, { writer: "hubrelay" })).toMatchObject({ refused: true, files: [] });
  });
});
