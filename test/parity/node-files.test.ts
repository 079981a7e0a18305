import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fieldsOf, isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { policyProblem } from "#shared/domain/mirrors/pull/policy-format.ts";
import {
  refusedSignatureStorage,
  tryLoadRegistries,
} from "#shared/domain/mirrors/registries-conf/load-registries.ts";
import { aMachineConfig, dropInPath } from "#shared/domain/openshift/machine-config/fixtures.ts";
import { ignitionRefusals } from "#shared/domain/openshift/machine-config/ignition-refusals.ts";
import { nodePaths, textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { mergeFiles } from "#shared/domain/openshift/machine-config/pool-files.ts";
import { type Oracle, startOracle } from "../../bench/peers/go-program.ts";

/*
 * containers/image refuses registries.conf, drop-ins, files of registries.d and policy.json as a whole, and
 * machine-config-operator a MachineConfig by Ignition's parser: what hubrelay refuses, they refuse. Of policy.json and Ignition it
 * judges less than they do: `unjudged` names the rest. Files begin as valid ones, of which parts are replaced.
 */

/** What containers/image refuses of a policy.json, and hubrelay does not. */
const unjudgedPolicies = {
  "a value of another type, or data that is not base64":
    /^(?:json: cannot unmarshal|JSON object expected|illegal base64)/,
  "a reference, prefix or type of keys": /^(?:invalid|dockerReference)/i,
  "what an object in a field lacks": /missing in a JSON object|specified$|contains no entries/,
  "another key of an object in a field": /^Unknown key/,
};

/** What Ignition's parsers and the validation of machine-config-operator refuse, and hubrelay does not. */
const unjudgedConfigs = {
  "a value of another type": /cannot unmarshal/,
  "the path of a file": /path not|path contains/,
  "a source from elsewhere": /invalid url|unable to parse url/,
  "a compression": /compression method/,
};

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

const words = (text: string): readonly string[] => text.split(" ");
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
const policies = requirements.flatMap((requirement) => [
  { default: [requirement] },
  { default: [{ type: "reject" }], transports: { docker: { "quay.io/acme": [requirement] } } },
  { default: [{ type: "reject" }], transports: { atomic: { "": [requirement] }, other: {} } },
]);
const policyValues = [
  ...[...common, ...requirements, ...identities, [requirements[0], {}], ["/k", ""]],
  ...words("sigstoreSign signedBy reject a=== YQ== Foo/bar [::1]:5000"),
];
const policyKeys = [
  ...words(
    "quay.io/acme *.lan a/b type comment default transports docker atomic dir keyType keyPath keyPaths",
  ),
  ...words("keyData keyDatas rekorPublicKeyPath rekorPublicKeyPaths rekorPublicKeyData rekorPublicKeyDatas"),
  ...words("fulcio pki signedIdentity caPath oidcIssuer caRootsPath subjectHostname prefix dockerReference"),
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
  ...[...common, false, [mirror], [{ location: "a.io" }], { "ns/app": "x" }],
  ...words(
    "/ https://a.io *.a.io *.a.io/ns *.a.io:5000 a.io a.io/ a.io:5000 a.io/Foo a.io/x:v1 A-b/c -a a_b",
  ),
  ...words("[fd00::1]:5000 [fd00::1]/x permissive disabled all tag-only"),
];
const confKeys = [
  ...words("registry registries aliases prefix location insecure blocked mirror mirror-by-digest-only"),
  ...words("pull-from-mirror short-name-mode unqualified-search-registries credential-helpers other"),
  ...words("app app:v1 a.io/app localhost localhost/x NS/app ns/App search block a__b/c"),
];
const confTexts = withChanges(confs, confValues, confKeys).map((conf) =>
  Object.entries(fieldsOf(conf))
    .map(([name, value]) => `${JSON.stringify(name)} = ${toml(value)}\n`)
    .join(""),
);

const namespaces = [
  { lookaside: "https://a.io/sigstore", "lookaside-staging": "file:///b", "use-sigstore-attachments": true },
  { sigstore: "https://a.io", "sigstore-staging": "https://b.io" },
];
const storageTexts = fc.array(
  withChanges(
    [
      { docker: { "quay.io/acme": namespaces[0] } },
      { docker: { "a.io": namespaces[1], "b.io:5000": {} }, "default-docker": namespaces[0] },
      { docker: null },
      null,
    ],
    [...common, ...namespaces, false, "yes", "on", 0],
    ["docker", "default-docker", "a.io", "quay.io/acme", "other", "lookaside", "use-sigstore-attachments"],
  ).map((storage) => JSON.stringify(storage)),
  { minLength: 1, maxLength: 2 },
);

const dataUrl = `data:text/plain;charset=utf-8;base64,${key}`;
const aFile = {
  path: "/etc/a",
  mode: 0o644,
  overwrite: true,
  contents: { source: dataUrl, compression: "" },
};
const configs = ["3.0.0", "3.2.0", "3.4.0", "3.5.0"].flatMap((version) => [
  { ignition: { version }, storage: { files: [aFile] } },
  { ignition: { version }, storage: { files: [aFile, { path: "/b", contents: { source: "" } }] } },
]);
const configValues = [
  ...[null, "", 5, true, 0, 0o777, 0o1000, 0o7777, 0o10000, -1, false],
  ...words("3.3.0 3.4.0 3.4 3.6.0 3.4.0-experimental 3.4.1 1.0.0 gzip zstd /etc/a /a/../b a"),
  ...[{ source: null }, { source: "data:,x", compression: "gzip" }],
  ...words("data: data:x data:, data:,a%20b data:,a%2 data:,a[b] data:,é data:;base64, data:;base64,YQ=="),
  ...words("data:;base64,YQ data:;base64,<PUT_IT_HERE> data:text/plain,a data:plain,a data:font/x,a"),
  ...words("data:x-a/b,c DATA:,a https://a ftp://a data:text/plain;charset=%zz,a"),
  ...["data:;base64,YQ==\n", "data:,a b", "data:,a\nb", 'data:text/plain;a="b c";base64,YQ=='],
];
const configKeys = words("path mode overwrite contents source compression version other");
const ignitionConfigs = withChanges(configs, configValues, configKeys);

/** MachineConfigs of one role, by name: each writes some of two files, perhaps without content or mode. */
const gzipped = `data:;base64,${gzipSync("content").toString("base64")}`;
const written = fc.record(
  {
    path: fc.constantFrom(nodePaths.registriesConf, nodePaths.policy),
    mode: fc.constantFrom(0o600, 0o644),
    contents: fc.constantFrom(
      {},
      { source: "data:,plain" },
      { source: "data:,other", compression: "" },
      { source: gzipped, compression: "gzip" },
      { compression: "" },
    ),
  },
  { requiredKeys: ["path"] },
);
const machineConfigs = fc.array(
  fc.uniqueArray(written, { selector: ({ path }) => path, minLength: 1, maxLength: 2 }),
  { minLength: 1, maxLength: 4 },
);

describe("the files of nodes against their readers", () => {
  let runtime: Oracle;
  let ignition: Oracle;
  beforeAll(async () => {
    runtime = await startOracle("runtime");
    ignition = await startOracle("ignition");
  }, 600_000);
  afterAll(() => Promise.all([runtime, ignition].map((oracle) => oracle[Symbol.asyncDispose]())));

  /** Compares whether both refuse; expects that each verdict is frequent, and what is not judged is rare. */
  async function compare<Input>(
    inputs: fc.Arbitrary<Input>,
    peer: (input: Input) => Promise<string | undefined>,
    own: (input: Input) => string | undefined,
    unjudged: Readonly<Record<string, RegExp>> = {},
  ): Promise<void> {
    const seen = { accepted: 0, refused: 0 };
    const left = new Map(Object.keys(unjudged).map((what) => [what, 0]));
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const expected = await peer(input);
        const found = own(input);
        seen[expected === undefined ? "accepted" : "refused"]++;
        const known =
          found === undefined && Object.keys(unjudged).find((what) => unjudged[what]?.test(expected ?? ""));
        if (known) {
          left.set(known, (left.get(known) ?? 0) + 1);
          return;
        }
        expect(found !== undefined, `peer: ${expected}\nhubrelay: ${found}\n${JSON.stringify(input)}`).toBe(
          expected !== undefined,
        );
      }),
      { seed: 20261129, numRuns: 1_500 },
    );
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(100);
    expect([...left].filter(([, times]) => times === 0)).toEqual([]);
    expect([...left.values()].reduce((sum, times) => sum + times, 0)).toBeLessThan(seen.refused * 0.6);
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
    compare(
      confTexts,
      (text) => errorOf({ conf: "", dropIns: { "50-own.conf": text } }),
      loadProblem(dropInPath),
    ));

  test("When files of registries.d are read, containers/image should refuse the same", () =>
    compare(
      storageTexts,
      (texts) =>
        errorOf({ storage: Object.fromEntries(texts.map((text, index) => [`${index}.yaml`, text])) }),
      (texts) => {
        const folder = "/etc/containers/registries.d";
        return refusedSignatureStorage(texts.map((text, index) => textFile(`${folder}/${index}.yaml`, text)))
          ?.problem;
      },
    ));

  test("When a policy.json is refused, containers/image should refuse it", () =>
    compare(policyTexts, (policy) => errorOf({ policy }), policyProblem, unjudgedPolicies));

  test.for([
    ["3.4.0", "v3_4"],
    ["3.5.0", "v3_5"],
  ] as const)(
    "When a release reads Ignition %s, its parser should refuse what hubrelay refuses",
    ([version, parser]) =>
      compare(
        ignitionConfigs,
        async (config) => {
          const error = fieldsOf(await ignition.ask(config))[parser];
          return typeof error === "string" && error !== "" ? error : undefined;
        },
        (config) => {
          const object = { ...aMachineConfig("x", {}), spec: { config } };
          return ignitionRefusals(object, { ignition: version, keepsSpecialBits: false })[0]?.problem;
        },
        unjudgedConfigs,
      ),
  );

  test("When several MachineConfigs write a file, Ignition's merge should give the same content and mode", async () => {
    await fc.assert(
      fc.asyncProperty(machineConfigs, async (all) => {
        const objects = all.map((files, index) => ({
          ...aMachineConfig(`${index}`, {}),
          spec: { config: { ignition: { version: "3.4.0" }, storage: { files } } },
        }));
        const { files } = fieldsOf(await ignition.ask({ merge: objects.map(({ spec }) => spec.config) }));
        const merged = mergeFiles(objects).files.map(({ path, mode, contents }) => [
          path,
          { mode, contents },
        ]);
        const expected = Object.entries(fieldsOf(files)).map(([path, file]) => {
          const { mode, contents } = fieldsOf(file);
          return [path, { mode: mode ?? 0o644, contents }];
        });
        expect(Object.fromEntries(merged), JSON.stringify(objects)).toEqual(Object.fromEntries(expected));
      }),
      { seed: 20261130, numRuns: 1_000 },
    );
  });
});
