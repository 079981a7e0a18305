import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fieldsOf, isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { policyProblem } from "#shared/domain/mirrors/pull/policy-format.ts";
import { tryLoadRegistries } from "#shared/domain/mirrors/registries-conf/load-registries.ts";
import { dropInPath } from "#shared/domain/openshift/machine-config/fixtures.ts";
import { ignitionRefusals } from "#shared/domain/openshift/machine-config/ignition-refusals.ts";
import { nodePaths, textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { type Oracle, startOracle } from "../../bench/peers/go-program.ts";

/*
 * containers/image refuses registries.conf, drop-ins and policy.json as a whole, and machine-config-operator a MachineConfig by
 * Ignition's parser: hubrelay must accept and refuse the same. Files begin as valid ones, of which parts are replaced.
 */

/** Where in a value something is replaced, and by what. */
type Change = Readonly<{
  at: number;
  kind: "remove" | "replace" | "add" | "rename";
  value: unknown;
  key: string;
}>;

/** Returns a copy in which one place is changed: all objects and lists are counted, with their items. */
function changed(value: unknown, change: Change): unknown {
  let rest = change.at;
  const visit = (one: unknown): unknown => {
    if (Array.isArray(one)) {
      const items: unknown[] = one.flatMap((item) => {
        if (rest-- !== 0) return [visit(item)];
        return change.kind === "remove" ? [] : [change.value, ...(change.kind === "add" ? [item] : [])];
      });
      return items;
    }
    if (!isRecord(one)) return one;
    return Object.fromEntries(
      Object.entries(one).flatMap(([key, field]) => {
        if (rest-- !== 0) return [[key, visit(field)]];
        if (change.kind === "remove") return [];
        if (change.kind === "rename") return [[change.key, field]];
        return change.kind === "add"
          ? [
              [key, field],
              [change.key, change.value],
            ]
          : [[key, change.value]];
      }),
    );
  };
  return visit(value);
}

const changes = (values: readonly unknown[], keys: readonly string[]) =>
  fc.array(
    fc.record({
      at: fc.nat({ max: 30 }),
      kind: fc.constantFrom("remove", "replace", "replace", "add", "rename"),
      value: fc.constantFrom(...values),
      key: fc.constantFrom(...keys),
    }),
    { maxLength: 2 },
  );

const withChanges = (valid: readonly unknown[], values: readonly unknown[], keys: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...valid), changes(values, keys))
    .map(([value, all]) => all.reduce<unknown>(changed, value));

const common = [null, "", "x", 5, 1.5, true, [], {}, [null], ["x"], { x: 1 }];

const key = "LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0K";
const identities = [
  { type: "matchRepository" },
  { type: "exactReference", dockerReference: "quay.io/acme/app:v1" },
  { type: "exactRepository", dockerRepository: "acme/app" },
  { type: "remapIdentity", prefix: "quay.io/acme", signedPrefix: "mirror.lan:5000" },
];
const requirements = [
  { type: "insecureAcceptAnything" },
  { type: "reject" },
  { type: "signedBy", keyType: "GPGKeys", keyPath: "/k", signedIdentity: identities[0] },
  { type: "signedBy", keyType: "GPGKeys", keyPaths: ["/k"] },
  { type: "signedBy", keyType: "GPGKeys", keyData: key },
  { type: "signedBaseLayer", baseLayerIdentity: identities[1] },
  { type: "sigstoreSigned", keyPath: "/k", signedIdentity: identities[2] },
  { type: "sigstoreSigned", keyData: key, rekorPublicKeyData: key, signedIdentity: identities[3] },
  { type: "sigstoreSigned", keyDatas: [key], rekorPublicKeyPaths: ["/r"] },
  {
    type: "sigstoreSigned",
    fulcio: { caData: key, oidcIssuer: "https://a", subjectEmail: "a@b" },
    rekorPublicKeyPath: "/r",
  },
  { type: "sigstoreSigned", pki: { caRootsPath: "/c", caIntermediatesData: key, subjectHostname: "h" } },
];
const scopes = ["", "quay.io/acme", "*.lan", "/a", "/a/", "a/b/c/d", "a/b:c/d", `sha256:${"0".repeat(64)}`];
const policies = requirements.flatMap((requirement) => [
  { default: [requirement] },
  { default: [{ type: "reject" }], transports: { docker: { "quay.io/acme": [requirement] } } },
  {
    default: [{ type: "reject" }],
    transports: { atomic: { "": [requirement] }, "docker-daemon": { "": [requirement] }, other: {} },
  },
]);
const policyValues = [
  ...common,
  ...requirements,
  ...identities,
  "sigstoreSign",
  "signedBy",
  "reject",
  "a\nb",
  "a===",
  "YQ==",
  "YQ=",
  "Foo/bar",
  "localhost/x@sha256:0",
  "a_b/c",
  "[::1]:5000",
  [requirements[0], {}],
  ["/k", ""],
  [key, "no base64"],
];
const policyKeys = [
  ...scopes,
  ..."type comment default transports docker atomic dir oci tarball docker-archive keyType keyPath keyPaths".split(
    " ",
  ),
  ..."keyData keyDatas rekorPublicKeyPath rekorPublicKeyPaths rekorPublicKeyData rekorPublicKeyDatas".split(
    " ",
  ),
  ..."fulcio pki signedIdentity caPath caData oidcIssuer subjectEmail caRootsData caRootsPath".split(" "),
  ..."caIntermediatesPath caIntermediatesData subjectHostname prefix dockerReference dockerRepository".split(
    " ",
  ),
];
const policyTexts = fc
  .tuple(withChanges(policies, policyValues, policyKeys), fc.option(fc.nat({ max: 12 })))
  .map(([policy, repeated]) => {
    let count = 0;
    return JSON.stringify(policy).replaceAll(/"\w+":/g, (name) =>
      count++ === repeated ? `${name}null,${name}` : name,
    );
  });

function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (!isRecord(value)) return value === null ? '""' : JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, field]) => `${JSON.stringify(name)} = ${toml(field)}`)
    .join(", ")} }`;
}

const mirror = { location: "m.lan/c", "pull-from-mirror": "digest-only" };
const confs = [
  {
    "unqualified-search-registries": ["a.io", "b.lan:5000"],
    "short-name-mode": "enforcing",
    registry: [
      { location: "a.io/ns", insecure: true, mirror: [mirror, { location: "n.lan", insecure: true }] },
      { prefix: "*.corp.lan", mirror: [mirror] },
      { prefix: "a.io", location: "b.io", blocked: true, "mirror-by-digest-only": true },
    ],
    aliases: { "ns/app": "a.io/ns/app", app: "" },
  },
  { registry: [{ location: "a.io", mirror: [mirror] }, { location: "a.io/" }], "credential-helpers": ["x"] },
  { aliases: { app: "docker.io/app", "a.b": "localhost/x" } },
  { registries: { search: { registries: ["a.io"] }, insecure: { registries: ["b.io"] }, block: {} } },
  { registries: { block: { registries: ["a.io", "b.io/ns"] }, insecure: { registries: ["a.io"] } } },
];
const confValues = [
  ...common,
  "/",
  "https://a.io",
  "*.a.io",
  "*.a.io/ns",
  "*.a.io:5000",
  "a.io",
  "a.io/",
  "a.io:5000",
  "a.io/Foo",
  "a.io/x:v1",
  "A-b/c",
  "-a",
  "a_b",
  "[fd00::1]:5000",
  "[fd00::1]/x",
  "permissive",
  "disabled",
  "all",
  "tag-only",
  false,
  [mirror],
  [{ location: "a.io" }],
  { "ns/app": "x" },
];
const confKeys = [
  ..."registry registries aliases prefix location insecure blocked mirror mirror-by-digest-only".split(" "),
  ..."pull-from-mirror short-name-mode unqualified-search-registries credential-helpers other".split(" "),
  ..."app app:v1 a.io/app localhost localhost/x NS/app ns/App search block a__b/c".split(" "),
];
const confTexts = withChanges(confs, confValues, confKeys).map((conf) =>
  Object.entries(fieldsOf(conf))
    .map(([name, value]) => `${JSON.stringify(name)} = ${toml(value)}\n`)
    .join(""),
);

const dataUrl = `data:text/plain;charset=utf-8;base64,${key}`;
const aFile = {
  path: "/etc/a",
  mode: 0o644,
  overwrite: true,
  contents: { source: dataUrl, compression: "" },
};
const configs = [
  { ignition: { version: "3.4.0" }, storage: { files: [aFile] } },
  { ignition: { version: "3.0.0" }, storage: { files: [aFile, { path: "/b", contents: { source: "" } }] } },
  {
    ignition: { version: "3.2.0" },
    storage: {
      files: [
        {
          ...aFile,
          user: { id: 0 },
          group: { name: "x" },
          contents: { source: "https://a/b", verification: { hash: `sha256-${"0".repeat(64)}` } },
          append: [{ source: "data:,a" }],
        },
        { path: "/c/d" },
      ],
      directories: [{ path: "/d", mode: 0o755 }],
      links: [{ path: "/l", target: "/b" }],
    },
  },
  {
    ignition: { version: "3.5.0" },
    storage: {
      files: [{ ...aFile, contents: { source: "https://a", httpHeaders: [{ name: "a", value: "b" }] } }],
    },
  },
  { ignition: { version: "3.1.0" } },
];
const configValues = [
  ...common,
  ..."3.3.0 3.4.0 3.4 3.6.0 3.4.0-experimental 3.4.1 1.0.0".split(" "),
  0,
  0o777,
  0o1000,
  0o7777,
  -1,
  false,
  "gzip",
  "zstd",
  "/etc/a",
  "/l/x",
  "/a//b",
  "/a/../b",
  "a",
  "/",
  { name: "root", id: 1 },
  { source: null },
  { source: "data:,x", compression: "gzip" },
  { source: "data:,x", verification: { hash: "md5-x" } },
  { source: "data:,x", httpHeaders: [{ name: "a", value: "b" }] },
  [{ name: "", value: "b" }],
  [
    { name: "a", value: "b" },
    { name: "a", value: "c" },
  ],
  ..."data: data:x data:, data:,a%20b data:,a%2 data:,a[b] data:,é data:;base64, data:;base64,YQ== data:;base64,YQ".split(
    " ",
  ),
  "data:;base64,<PUT_IT_HERE>",
  "data:;base64,YQ==\n",
  "data:,a b",
  "data:,a\nb",
  "data:text/plain,a",
  "data:plain,a",
  "data:font/x,a",
  "data:x-a/b,c",
  "data:text/plain;charset=utf-8;base64;x=y,YQ==",
  'data:text/plain;a="b c";base64,YQ==',
  "data:text/plain;charset=%zz,a",
  "data:text/plain; charset=utf-8,a",
  "DATA:,a",
  "ftp://a",
  "gs://a/b",
  "s3://a/b",
  "tftp://a/b",
  "oem:///a",
  "/etc/b",
];
const configKeys =
  "path mode overwrite contents append source compression verification httpHeaders user group id name hash version".split(
    " ",
  );
const ignitionConfigs = withChanges(configs, configValues, configKeys);

describe("the files of nodes against their readers", () => {
  let runtime: Oracle;
  let ignition: Oracle;
  beforeAll(async () => {
    runtime = await startOracle("runtime");
    ignition = await startOracle("ignition");
  }, 600_000);
  afterAll(() => Promise.all([runtime, ignition].map((oracle) => oracle[Symbol.asyncDispose]())));

  /** Compares whether both refuse; expects that each verdict is frequent. */
  async function compare<Input>(
    inputs: fc.Arbitrary<Input>,
    peer: (input: Input) => Promise<string | undefined>,
    own: (input: Input) => string | undefined,
  ): Promise<void> {
    const seen = { accepted: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const expected = await peer(input);
        const found = own(input);
        seen[expected === undefined ? "accepted" : "refused"]++;
        expect(found !== undefined, `peer: ${expected}\nhubrelay: ${found}\n${JSON.stringify(input)}`).toBe(
          expected !== undefined,
        );
      }),
      { seed: 20261129, numRuns: 3_000 },
    );
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(300);
  }

  const errorOf = async (request: unknown): Promise<string | undefined> => {
    const { error } = fieldsOf(await runtime.ask(request));
    return typeof error === "string" ? error : undefined;
  };
  const loadProblem = (path: string) => (text: string) => {
    const loaded = tryLoadRegistries([textFile(path, text)], "");
    return "problem" in loaded ? loaded.problem : undefined;
  };

  test("When a registries.conf is read, containers/image should refuse the same", () =>
    compare(confTexts, (conf) => errorOf({ conf, references: [] }), loadProblem(nodePaths.registriesConf)));

  test("When a drop-in is read, containers/image should refuse the same", () =>
    compare(confTexts, (dropIn) => errorOf({ dropIn }), loadProblem(dropInPath)));

  test("When a policy.json is read, containers/image should refuse the same", () =>
    compare(policyTexts, (policy) => errorOf({ policy }), policyProblem));

  test.for([
    ["3.4.0", "v3_4"],
    ["3.5.0", "v3_5"],
  ] as const)("When a release reads Ignition %s, its parser should refuse the same", ([version, parser]) =>
    compare(
      ignitionConfigs,
      async (config) => {
        const error = fieldsOf(await ignition.ask(config))[parser];
        return typeof error === "string" && error !== "" ? error : undefined;
      },
      (config) => {
        const object = {
          apiVersion: "v1",
          kind: "MachineConfig",
          metadata: { name: "x" },
          spec: { config },
        };
        return ignitionRefusals(object, version)[0]?.problem;
      },
    ),
  );
});
