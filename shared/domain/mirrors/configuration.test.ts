import { parse } from "@iarna/toml";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nodePaths } from "../machine-config/node-file.ts";
import { tryParseRegistriesConf } from "./base-file.ts";
import { configureMirrors, type MirrorInput, type MirrorOptions } from "./configuration.ts";
import {
  aClusterVersion,
  anImage,
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
  payloadRepository,
  releaseImage,
} from "./fixtures.ts";
import { aClusterImagePolicy, anImagePolicy } from "./policies/fixtures.ts";
import { type RegistryEntry, scopeOf } from "./registry-entry.ts";

const topLevel = `unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""
`;

const codes = (input: MirrorInput, options?: MirrorOptions) =>
  configureMirrors(input, options).issues.map(({ code, severity, object, path }) =>
    [severity, code, object.name, path].join(" "),
  );

const show = (entries: readonly RegistryEntry[]) =>
  entries.map((entry) =>
    [
      scopeOf(entry),
      ...(entry.blocked ? ["blocked"] : []),
      ...entry.mirrors.map(({ location }) => location),
    ].join(" "),
  );

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
      expect(configureMirrors({ objects: [] }, options)).toEqual({
        refused: false,
        issues: [],
        entries: [],
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
    expect(show(configureMirrors({ objects, template }).entries)).toEqual([
      "q.io own.lab m.lab",
      "good.io m.lab/good",
    ]);
  });

  test("When the base file cannot be read, it should refuse everything and say where", () => {
    const refused = configureMirrors({ objects: [], template: "a = [" });
    expect(refused).toMatchObject({ refused: true, registriesConf: "", files: [] });
    expect(refused.issues).toMatchObject([{ code: "InvalidTemplate", object: { kind: "File" } }]);
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

  test("When nothing else is asked for, it should be left out alone", () => {
    const rendered = configureMirrors(input);
    expect(show(rendered.entries)).toEqual(["good.io m.lab/good"]);
    expect(rendered).toMatchObject({ refused: false, applied: 1, leftOut: 3 });
    expect(codes(input)).toEqual([
      "error InvalidType mixed spec.imageDigestMirrors[3]",
      "error InvalidSource mixed spec.imageDigestMirrors[0].source",
      "error InvalidMirror mixed spec.imageDigestMirrors[2].mirrors[1]",
    ]);
  });

  test("When strictness is asked for, it should refuse everything, with every reason", () => {
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

  test("When machine-config-operator is to be followed, it should refuse everything, with the first reason", () => {
    const set = anImageDigestMirrorSet("a", [{ source: "a.io", mirrors: ["m", "M/X"] }, { source: "*" }]);
    const tags = anImageTagMirrorSet("t", [{ source: "a.io", mirrors: ["m", "m"] }]);
    expect(codes({ objects: [tags, set] }, compat)).toEqual([
      "error InvalidMirror a spec.imageDigestMirrors[0].mirrors[1]",
      "warning DuplicateMirror t spec.imageTagMirrors[0].mirrors[1]",
    ]);
  });

  test("When the wrong scope is in the Image configuration, it should be left out alone", () => {
    const image = anImage({ insecureRegistries: ["*", "i.io"], blockedRegistries: ["b.io", ""] });
    expect(show(configureMirrors({ objects: [], image }).entries)).toEqual(["b.io blocked", "i.io"]);
    expect(configureMirrors({ objects: [], image }, compat).issues.map(({ message }) => message)).toEqual([
      'invalid entry for insecure registries "*"',
    ]);
  });
});

describe("contradicting source policies", () => {
  const objects = [
    anImageDigestMirrorSet("never", [
      { source: "a.io", mirrors: ["n.lab"], mirrorSourcePolicy: "NeverContactSource" },
    ]),
    anImageContentSourcePolicy("old", [{ source: "a.io", mirrors: ["o.lab"] }, good]),
  ];

  test("When nothing was applied before, it should leave the source out", () => {
    const rendered = configureMirrors({ objects });
    expect(show(rendered.entries)).toEqual(["good.io m.lab/good"]);
    expect(rendered).toMatchObject({ applied: 1, leftOut: 2 });
  });

  test("When the source was applied before, it should keep that state and nothing else of it", () => {
    const before = configureMirrors({
      objects: [
        anImageDigestMirrorSet("never", [
          { source: "a.io", mirrors: ["z.lab", "y.lab"], mirrorSourcePolicy: "NeverContactSource" },
          { source: "gone.io", mirrors: ["m.lab"] },
        ]),
        anImageTagMirrorSet("tags", [
          { source: "a.io", mirrors: ["t.lab"], mirrorSourcePolicy: "NeverContactSource" },
        ]),
      ],
    });
    const rendered = configureMirrors({ objects, previous: before });
    expect(show(rendered.entries)).toEqual(["a.io blocked z.lab y.lab t.lab", "good.io m.lab/good"]);
    expect(rendered.entries[0]).toEqual(before.entries[0]);
    expect(rendered.issues.map(({ code }) => code)).toEqual([
      "ConflictingMirrorSourcePolicy",
      "ConflictingMirrorSourcePolicy",
    ]);
  });

  test("When what was applied before cannot be read, it should leave the source out", () => {
    const rendered = configureMirrors({ objects, previous: { registriesConf: "a = [" } });
    expect(show(rendered.entries)).toEqual(["good.io m.lab/good"]);
  });
});

describe("a wildcard source over scopes without mirrors", () => {
  const input = {
    objects: [anImageDigestMirrorSet("wild", [{ source: "*.corp.io", mirrors: ["m.lab/c"] }, good])],
    image: anImage({ blockedRegistries: ["x.corp.io/ns"] }),
  };

  test("When nothing else is asked for, it should hand the mirrors down and tell the rule's owner", () => {
    const { entries, issues } = configureMirrors(input);
    expect(show(entries)).toEqual([
      "*.corp.io m.lab/c",
      "good.io m.lab/good",
      "x.corp.io/ns blocked m.lab/c/ns",
    ]);
    expect(issues).toMatchObject([
      {
        code: "WildcardSourceNested",
        severity: "error",
        object: { kind: "ImageDigestMirrorSet", name: "wild" },
        path: "spec.imageDigestMirrors[0].source",
        value: "*.corp.io",
        message: expect.stringContaining("x.corp.io/ns"),
      },
    ]);
  });

  test("When machine-config-operator is to be followed, it should refuse everything", () => {
    const refused = configureMirrors(input, compat);
    expect(refused.refused).toBe(true);
    expect(refused.issues[0]?.message).toMatch(
      /^internal error: mirrorsAdjustedForNestedScope for a wildcard scope "\*\.corp\.io"/,
    );
  });
});

describe("the release payload", () => {
  const clusterVersion = aClusterVersion(releaseImage);
  const mirrored = anImageDigestMirrorSet("ocp", [{ source: payloadRepository, mirrors: ["m.lab/ocp"] }]);
  const blocked = `${"spec.registrySources.blockedRegistries"}[0]`;

  test("When it has no other place, it should not be blocked, and the Image's owner is told", () => {
    const input = {
      objects: [],
      image: anImage({ blockedRegistries: ["quay.io", "docker.io"] }),
      clusterVersion,
    };
    expect(show(configureMirrors(input).entries)).toEqual(["docker.io blocked"]);
    expect(show(configureMirrors(input, compat).entries)).toEqual(["docker.io blocked"]);
    expect(codes(input)).toEqual([`error PayloadBlocked cluster ${blocked}`]);
    expect(codes(input, compat)).toEqual([`warning PayloadBlocked cluster ${blocked}`]);
    expect(configureMirrors(input, { strict: true }).refused).toBe(true);
  });

  test("When it has a mirror, its source should be blocked and its name let through", () => {
    const input = { objects: [mirrored], image: anImage({ blockedRegistries: ["quay.io"] }), releaseImage };
    const { entries, files, issues } = configureMirrors(input);
    expect(issues).toEqual([]);
    expect(show(entries)).toEqual([`${payloadRepository} blocked m.lab/ocp`, "quay.io blocked"]);
    const policy = JSON.parse(files.find(({ path }) => path === nodePaths.policy)?.contents ?? "");
    expect(policy.transports.docker).toEqual({
      "quay.io": [{ type: "reject" }],
      [payloadRepository]: [{ type: "insecureAcceptAnything" }],
    });
  });

  test("When exactly its repository is blocked, only machine-config-operator should reject everything else", () => {
    const input = {
      objects: [mirrored],
      image: anImage({ blockedRegistries: [payloadRepository] }),
      clusterVersion,
    };
    expect(configureMirrors(input).files.map(({ path }) => path)).toEqual([nodePaths.registriesConf]);
    const likeMco = configureMirrors(input, compat);
    expect(likeMco.issues.map(({ code }) => code)).toEqual(["OnlyPayloadAllowed"]);
    expect(JSON.parse(likeMco.files[1]?.contents ?? "").default).toEqual([{ type: "reject" }]);
  });

  test("When two blocked scopes contain it, only machine-config-operator should fail", () => {
    const image = anImage({ blockedRegistries: ["quay.io", "quay.io/openshift-release-dev"] });
    const input = { objects: [mirrored], image, clusterVersion };
    expect(configureMirrors(input)).toMatchObject({ refused: false, issues: [] });
    expect(configureMirrors(input, compat)).toMatchObject({
      refused: true,
      issues: [{ code: "AllowedAndBlocked" }],
    });
  });

  test("When a wildcard source breaks the guard, only machine-config-operator should block nothing", () => {
    const input = {
      objects: [mirrored, anImageDigestMirrorSet("wild", [{ source: "*.corp.io", mirrors: ["m.lab/c"] }])],
      image: anImage({ blockedRegistries: ["quay.io", "x.corp.io"] }),
      clusterVersion,
    };
    expect(show(configureMirrors(input).entries).filter((line) => line.includes("blocked"))).toHaveLength(3);
    const likeMco = configureMirrors(input, compat);
    expect(likeMco).toMatchObject({
      refused: false,
      issues: [{ code: "GuardFailedOpen", severity: "warning" }],
    });
    expect(show(likeMco.entries).filter((line) => line.includes("blocked"))).toEqual([]);
  });

  test("When a mirror of it is a bare host, the rule should be left out, and the guard still work", () => {
    const bare = anImageDigestMirrorSet("bare", [{ source: payloadRepository, mirrors: ["m.lab"] }, good]);
    const input = {
      objects: [bare, mirrored],
      image: anImage({ blockedRegistries: ["quay.io"] }),
      clusterVersion,
    };
    const rendered = configureMirrors(input);
    expect(show(rendered.entries)).toEqual([
      "good.io m.lab/good",
      `${payloadRepository} blocked m.lab/ocp`,
      "quay.io blocked",
    ]);
    expect(rendered).toMatchObject({ applied: 2, leftOut: 1 });
    expect(codes(input)).toEqual(["error MirrorBreaksPayload bare spec.imageDigestMirrors[0].mirrors"]);
    expect(codes(input, compat)).toContain(
      "warning GuardFailedOpen cluster spec.registrySources.blockedRegistries",
    );
  });

  test("When a rule cuts it off, it should refuse everything, naming the rule", () => {
    const never = { mirrorSourcePolicy: "NeverContactSource" };
    const tags = anImageTagMirrorSet("tags", [{ source: "quay.io", mirrors: ["m.lab"], ...never }]);
    const input = { objects: [tags], clusterVersion };
    expect(configureMirrors(input)).toMatchObject({ refused: true, files: [] });
    expect(codes(input)).toEqual(["error PayloadUnreachable tags spec.imageTagMirrors[0].source"]);
    expect(configureMirrors(input, compat).refused).toBe(false);
    expect(codes(input, compat)).toEqual(["warning PayloadUnreachable tags spec.imageTagMirrors[0].source"]);
  });

  test("When it is not in the allowed list, it should refuse everything", () => {
    const input = { objects: [], image: anImage({ allowedRegistries: ["a.io"] }), clusterVersion };
    expect(configureMirrors(input).refused).toBe(true);
    expect(codes(input)).toEqual(["error PayloadNotAllowed cluster spec.registrySources.allowedRegistries"]);
    expect(configureMirrors(input, compat).refused).toBe(false);
  });

  test.for<{ name: string; lists: Record<string, unknown>; severity: string; isRefused: boolean }>([
    {
      name: "something is blocked",
      lists: { blockedRegistries: ["b.io"] },
      severity: "error",
      isRefused: true,
    },
    { name: "nothing is blocked", lists: {}, severity: "warning", isRefused: false },
  ])("When it cannot be told and $name, it should be a $severity", ({ lists, severity, isRefused }) => {
    const input = { objects: [], image: anImage(lists), clusterVersion: aClusterVersion("") };
    expect(configureMirrors(input).refused).toBe(isRefused);
    expect(codes(input)).toEqual([`${severity} InvalidReleaseImage version status.desired.image`]);
    expect(configureMirrors(input, compat).refused).toBe(true);
  });

  test("When there is no Image configuration, it should not matter that it cannot be told", () => {
    expect(codes({ objects: [mirrored], clusterVersion: aClusterVersion(undefined) })).toEqual([]);
  });
});

test("When an image policy cannot be rendered, it should refuse everything, for images would pass unverified", () => {
  const objects = [aClusterImagePolicy("bad", ["a.io"], {}), anImageDigestMirrorSet("a", [good])];
  for (const options of [{}, compat]) {
    const refused = configureMirrors({ objects }, options);
    expect(refused).toMatchObject({ refused: true, files: [] });
    expect(refused.issues[0]).toMatchObject({ code: "InvalidImagePolicy", object: { name: "bad" } });
  }
});

describe("properties", () => {
  const host = fc.constantFrom("a.io", "x.a.io", "*.a.io", "quay.io", "m.lab:5000", "BAD:x/y", "");
  const path = fc.constantFrom("", "/n", "/n/b", "/openshift-release-dev/ocp-release");
  const location = fc.tuple(host, path).map((parts) => parts.join(""));
  const rule = fc.record(
    {
      source: location,
      mirrors: fc.array(location, { maxLength: 3 }),
      mirrorSourcePolicy: fc.constantFrom("NeverContactSource", "AllowContactingSource"),
    },
    { requiredKeys: ["source", "mirrors"] },
  );
  const rules = fc.array(rule, { maxLength: 3 });
  const object = fc
    .tuple(fc.constantFrom(anImageDigestMirrorSet, anImageTagMirrorSet, anImageContentSourcePolicy), rules)
    .map(
      ([make, list]) =>
        (index: number) =>
          make(`set-${index}`, list),
    );
  const objects = fc
    .array(object, { maxLength: 5 })
    .map((makers) => makers.map((make, index) => make(index)));
  const scopes = fc.array(location, { maxLength: 3 });
  const image = fc
    .record({ insecureRegistries: scopes, blockedRegistries: scopes }, { requiredKeys: [] })
    .map(anImage);
  const input = fc.record({ objects, image, clusterVersion: fc.constant(aClusterVersion(releaseImage)) });
  const options = fc.constantFrom<MirrorOptions>({}, { strict: true }, compat);

  test("When the objects come in another order, it should give the same answer", () => {
    const turned = input.chain((given) =>
      fc.tuple(
        fc.constant(given),
        fc.shuffledSubarray([...given.objects], {
          minLength: given.objects.length,
          maxLength: given.objects.length,
        }),
      ),
    );
    fc.assert(
      fc.property(turned, ([given, shuffled]) => {
        expect(configureMirrors({ ...given, objects: shuffled })).toEqual(configureMirrors(given));
        const [a, b] = [given.objects, shuffled].map((list) =>
          configureMirrors({ ...given, objects: list }, compat),
        );
        expect(b?.files).toEqual(a?.files);
        expect(b?.refused).toBe(a?.refused);
      }),
    );
  });

  test("When the file that it renders is parsed, it should hold the entries", () => {
    fc.assert(
      fc.property(input, options, (given, chosen) => {
        const { refused, entries, registriesConf } = configureMirrors(given, chosen);
        if (refused) return;
        const read = tryParseRegistriesConf(registriesConf);
        expect("conf" in read && read.conf.entries).toEqual(entries);
        expect(() => parse(registriesConf)).not.toThrow();
      }),
    );
  });

  test("When machine-config-operator accepts the input, it should be rendered to the same file by default", () => {
    fc.assert(
      fc.property(objects, (given) => {
        const likeMco = configureMirrors({ objects: given }, compat);
        const { registriesConf, issues } = configureMirrors({ objects: given });
        const isPlain = issues.every(({ code }) => code !== "DuplicateMirror");
        if (!likeMco.refused && isPlain) expect(registriesConf).toBe(likeMco.registriesConf);
      }),
    );
  });

  test("When it refuses, it should name an object and a path, and give nothing to write", () => {
    fc.assert(
      fc.property(input, options, (given, chosen) => {
        const { refused, issues, registriesConf, files } = configureMirrors(given, chosen);
        if (!refused) return;
        expect(
          issues.some(({ severity, object: { name }, path: at }) => severity === "error" && name && at),
        ).toBe(true);
        expect([registriesConf, ...files]).toEqual([""]);
      }),
    );
  });

  const junk = fc.anything({ maxDepth: 4, withNullPrototype: true });
  const kind = fc.constantFrom(
    anImageDigestMirrorSet("x", []),
    anImageContentSourcePolicy("x", []),
    anImageTagMirrorSet("x", []),
    aClusterImagePolicy("x", []),
    anImagePolicy("ns", "x", []),
  );
  const lists = fc.constantFrom(
    "imageDigestMirrors",
    "repositoryDigestMirrors",
    "imageTagMirrors",
    "scopes",
    "policy",
  );
  const spec = fc.oneof(junk, fc.dictionary(lists, fc.oneof(junk, fc.array(junk))));

  test("When anything at all is given, it should not throw", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(kind, spec), { maxLength: 3 }),
        junk,
        junk,
        options,
        (given, own, status, chosen) => {
          configureMirrors(
            {
              objects: given.map(([shape, content]) => ({ ...shape, spec: content })),
              image: { ...anImage({}), spec: own },
              clusterVersion: { ...aClusterVersion(""), status },
            },
            chosen,
          );
        },
      ),
      { numRuns: 1000 },
    );
  });
});
