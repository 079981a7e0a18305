import { describe, expect, test } from "vitest";
import { nodePaths } from "../machine-config/node-file.ts";
import { configureMirrors, type MirrorInput } from "./configuration.ts";
import { anImage, anImageDigestMirrorSet, anImageTagMirrorSet, issueLines } from "./fixtures.ts";
import { aClusterImagePolicy, anImagePolicy } from "./policies/fixtures.ts";
import { showEntries } from "./registries-conf/fixtures.ts";

const topLevel = `unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""
`;

const good = { source: "good.io", mirrors: ["m.lab/good"] };
const compat = { compat: "mco" } as const;

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
    for (const options of [{}, compat, { strict: true }]) {
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
    for (const options of [{}, compat]) {
      expect(configureMirrors({ objects: [] }, options)).toMatchObject({
        refused: false,
        issues: [],
        entries: [],
        basis: { base: [], merged: { digest: [], tag: [], any: [] }, insecure: [], blocked: [] },
        registriesConf: topLevel,
        files: [],
        applied: 0,
        leftOut: 0,
      });
    }
  });

  test("When a base file is given, it should keep its entries in front and add to them", () => {
    const template = '[[registry]]\nlocation = "q.io"\n[[registry.mirror]]\nlocation = "own.lab"\n';
    const objects = [anImageDigestMirrorSet("a", [{ source: "q.io", mirrors: ["m.lab"] }, good])];
    expect(showEntries(configureMirrors({ objects, template }).entries)).toEqual([
      "q.io own.lab m.lab",
      "good.io m.lab/good",
    ]);
  });

  test("When the base file cannot be read, it should refuse everything and say where", () => {
    const refused = configureMirrors({ objects: [], template: "a = [" });
    expect(refused).toMatchObject({ refused: true, registriesConf: "", files: [] });
    expect(refused.issues).toMatchObject([
      {
        code: "InvalidTemplate",
        severity: "error",
        object: { kind: "File", name: "registries.conf" },
        path: "1:1",
        value: "a = [",
        message: expect.stringMatching(/^error unmarshalling registries config: .*row 1/s),
        remedy: expect.stringContaining("containers-registries.conf(5)"),
      },
    ]);
  });

  test("When every kind of file is due, it should list them in the order of the MachineConfig", () => {
    const { files } = configureMirrors({
      objects: [
        anImageDigestMirrorSet("a", [good]),
        aClusterImagePolicy("c", ["good.io"]),
        anImagePolicy("ns", "n", ["other.io"]),
      ],
      image: anImage({ containerRuntimeSearchRegistries: ["q.io"] }),
    });
    expect(files.map(({ path }) => path)).toEqual([
      nodePaths.registriesConf,
      nodePaths.policy,
      nodePaths.sigstoreRegistries,
      "/etc/crio/policies/ns.json",
      nodePaths.searchRegistries,
    ]);
    expect(files[2]?.contents).toContain("m.lab/good:");
  });

  test.for<{ name: string; input: MirrorInput; paths: string[] }>([
    {
      name: "a mirror object has no rules",
      input: { objects: [anImageDigestMirrorSet("a", [])] },
      paths: [nodePaths.registriesConf],
    },
    {
      name: "the insecure list is empty but given",
      input: { objects: [], image: anImage({ insecureRegistries: [] }) },
      paths: [nodePaths.registriesConf],
    },
    {
      name: "the blocked list is empty",
      input: { objects: [], image: anImage({ blockedRegistries: [] }) },
      paths: [],
    },
    {
      name: "the allowed list is empty",
      input: { objects: [], image: anImage({ allowedRegistries: [] }) },
      paths: [],
    },
    {
      name: "a scope is blocked",
      input: { objects: [], image: anImage({ blockedRegistries: ["b.io"] }) },
      paths: [nodePaths.registriesConf, nodePaths.policy],
    },
    {
      name: "a scope is allowed",
      input: { objects: [], image: anImage({ allowedRegistries: ["b.io"] }) },
      paths: [nodePaths.policy],
    },
  ])("When $name, it should write $paths", ({ input, paths }) => {
    for (const options of [{}, compat]) {
      expect(configureMirrors(input, options).files.map(({ path }) => path)).toEqual(paths);
    }
  });
});

test("When objects come in another order, it should report the same issues in the same order", () => {
  const old = (kind: string, namespace?: string) => ({
    apiVersion: "config.openshift.io/v1alpha1",
    kind,
    metadata: { name: "x", ...(namespace ? { namespace } : {}) },
    spec: {},
  });
  const objects = [
    old("ImageDigestMirrorSet"),
    old("ImageTagMirrorSet"),
    old("ImagePolicy", "a"),
    old("ImagePolicy", "b"),
  ];
  const reported = (given: typeof objects) =>
    configureMirrors({ objects: given }).issues.map(({ object }) => `${object.kind} ${object.namespace}`);
  expect([...new Set(reported(objects))]).toEqual([
    "ImageDigestMirrorSet undefined",
    "ImageTagMirrorSet undefined",
    "ImagePolicy a",
    "ImagePolicy b",
  ]);
  expect(reported(objects.toReversed())).toEqual(reported(objects));
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

  test("When no option is set, only this rule should be left out", () => {
    const rendered = configureMirrors(input);
    expect(showEntries(rendered.entries)).toEqual(["good.io m.lab/good"]);
    expect(rendered).toMatchObject({ refused: false, applied: 1, leftOut: 3 });
    expect(issueLines(input)).toEqual([
      "error InvalidType mixed spec.imageDigestMirrors[3]",
      "error InvalidSource mixed spec.imageDigestMirrors[0].source",
      "error InvalidMirror mixed spec.imageDigestMirrors[2].mirrors[1]",
    ]);
  });

  test("When strict is set, it should refuse everything, with every reason", () => {
    const refused = configureMirrors(input, { strict: true });
    expect(refused).toMatchObject({
      refused: true,
      entries: [],
      registriesConf: "",
      files: [],
      applied: 0,
      leftOut: 4,
    });
    expect(refused.issues).toHaveLength(3);
  });

  test("When the mode is mco, it should refuse everything, with the first reason", () => {
    const set = anImageDigestMirrorSet("a", [{ source: "a.io", mirrors: ["m", "M/X"] }, { source: "*" }]);
    const tags = anImageTagMirrorSet("t", [{ source: "a.io", mirrors: ["m", "m"] }]);
    expect(issueLines({ objects: [tags, set] }, compat)).toEqual([
      "error InvalidMirror a spec.imageDigestMirrors[0].mirrors[1]",
      "warning DuplicateMirror t spec.imageTagMirrors[0].mirrors[1]",
    ]);
  });

  test("When machine-config-operator fails, it should not lint the configuration", () => {
    const objects = [
      anImageDigestMirrorSet("a", [{ source: "*", mirrors: ["m"] }]),
      aClusterImagePolicy("c", ["a.io"]),
      anImagePolicy("ns", "n", ["a.io"]),
    ];
    expect(issueLines({ objects }, compat)).toEqual([
      "error InvalidSource a spec.imageDigestMirrors[0].source",
    ]);
    expect(issueLines({ objects })).toContain("warning ConflictScopes n spec.scopes[0]");
  });

  test("When the wrong scope is in the Image configuration, only that scope should be left out", () => {
    const image = anImage({ insecureRegistries: ["*", "i.io"], blockedRegistries: ["b.io", ""] });
    expect(showEntries(configureMirrors({ objects: [], image }).entries)).toEqual(["b.io blocked", "i.io"]);
    expect(configureMirrors({ objects: [], image }, compat).issues.map(({ message }) => message)).toEqual([
      'invalid entry for insecure registries "*"',
    ]);
  });
});

test("When an image policy cannot be rendered, only machine-config-operator should refuse everything", () => {
  const objects = [aClusterImagePolicy("bad", ["a.io"], {}), anImageDigestMirrorSet("a", [good])];
  const error = { code: "InvalidImagePolicy", object: { name: "bad" } };
  const refused = configureMirrors({ objects }, compat);
  expect(refused).toMatchObject({ refused: true, files: [], issues: [error] });
  const rendered = configureMirrors({ objects });
  expect(rendered).toMatchObject({ refused: false, applied: 1 });
  expect(rendered.issues[0]).toMatchObject(error);
});
