import fc from "fast-check";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { certificate, publicKey as keyData } from "#shared/domain/mirrors/policies/fixtures.ts";
import {
  type Configuration,
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imageTagMirrorSet,
  type RuleManifest,
  shippedTemplate,
} from "./configuration.ts";

/* Names are few and short, so that scopes nest, objects share sources, and lists contradict each other. */

const hosts = ["a.io", "x.a.io", "y.x.a.io", "a.io:5000", "x.a.io:5000", "b.lan", "localhost", "Foo"];
const domains = ["io", "a.io", "x.a.io", "lan"];
const components = ["ns", "app", "a-b", "c__d", "e.f", "n--s"];
const anyHost = fc.constantFrom(...hosts);

const plainScope = fc
  .tuple(anyHost, fc.array(fc.constantFrom(...components), { maxLength: 3 }))
  .map(([host, path]) => [host, ...path].join("/"));

const wildcard = fc.constantFrom(...domains).map((domain) => `*.${domain}`);

const mirrorHost = fc.constantFrom("m1.lan", "m2.lan:5000", "m1.lan/c", "x.a.io/ns", "z", "d");

const badSource = fc.oneof(
  fc.constantFrom(
    ..."|a.io/|/ns|a.io/Upper|a.io/ns:tag|a.io//ns|a.io/ns/|https://a.io/ns|a_b.io/ns|-a.io|a-.io|a..io|a.io:".split(
      "|",
    ),
    ..."a.io:x|a.io/-ns|a.io/ns-|a.io/a___b|a.io/a._b|*|*.|*a.io|a.*.io|*.a.io/ns|*.a.io:5000|*.*.io|.a.io|[::1]:5000".split(
      "|",
    ),
    " a.io",
    "a.io\n",
    "a.io\t/ns",
    'a.io/"q"',
    "a.io\\ns",
    "a.io/\u0000\u0007\u001f\u007f",
    "é.io",
    "a.io/\u00a0\u00ad\u200b\u2028",
    "a.io/\ufeff\ue000\ufffd",
    "a.io/\u{1f600}\u{e0001}\u{10ffff}",
    "a.io/<&>'`",
    `a.io/ns@sha256:${"0".repeat(64)}`,
  ),
  fc.string({ unit: fc.constantFrom(..."aA1-._/:*@ "), maxLength: 8 }),
);
const badMirror = fc.oneof(badSource, wildcard);

/**
 * Invalid scopes that the renderer accepts as blocked or insecure: all but those with a `*`. Characters above U+FFFF
 * are left out, since they sort differently in UTF-16 and in Go's UTF-8.
 */
const oddScope = badSource.filter((scope) => scope !== "" && !/[*\u{10000}-\u{10ffff}]/u.test(scope));
const badScope = fc.constantFrom(
  "",
  "*",
  "a.*.io",
  "*.a.io/ns",
  "*.a.io:5000",
  "*.a@b",
  "*.*.io",
  "a.io/*",
  "*a.io",
);

const anyScope = fc.oneof(
  { weight: 12, arbitrary: plainScope },
  { weight: 3, arbitrary: wildcard },
  { weight: 1, arbitrary: oddScope },
);

type RuleLists = Readonly<Record<"idms" | "icsp" | "itms", readonly (readonly RuleManifest[])[]>>;

function ruleLists(
  rule: fc.Arbitrary<RuleManifest>,
  icspRule: fc.Arbitrary<RuleManifest>,
): fc.Arbitrary<RuleLists> {
  const objects = (one: fc.Arbitrary<RuleManifest>) =>
    fc.array(fc.array(one, { maxLength: 4 }), { maxLength: 3 });
  return fc.record({ idms: objects(rule), icsp: objects(icspRule), itms: objects(rule) });
}

function configuration(
  lists: fc.Arbitrary<RuleLists>,
  scope: fc.Arbitrary<string>,
): fc.Arbitrary<Configuration> {
  const scopes = fc.array(scope, { maxLength: 4 });
  return fc.record({ insecure: scopes, blocked: scopes, lists }).map(({ insecure, blocked, lists }) => ({
    template: shippedTemplate,
    insecure,
    blocked,
    idms: lists.idms.map((rules, i) => imageDigestMirrorSet(`idms-${i}`, rules)),
    icsp: lists.icsp.map((rules, i) => imageContentSourcePolicy(`icsp-${i}`, rules)),
    itms: lists.itms.map((rules, i) => imageTagMirrorSet(`itms-${i}`, rules)),
  }));
}

function ruleOf(
  source: fc.Arbitrary<string>,
  mirror: fc.Arbitrary<string>,
  policy: fc.Arbitrary<string>,
): fc.Arbitrary<RuleManifest> {
  return fc.record(
    { source, mirrors: fc.array(mirror, { maxLength: 5 }), mirrorSourcePolicy: policy },
    { requiredKeys: ["source"] },
  );
}

/** Returns configurations that hubrelay accepts, or refuses only because of a scope below a wildcard source. */
export function agreeingConfigurations(): fc.Arbitrary<Configuration> {
  const source = fc.oneof({ weight: 12, arbitrary: plainScope }, { weight: 1, arbitrary: wildcard });
  const mirror = fc.oneof({ weight: 3, arbitrary: mirrorHost }, { weight: 1, arbitrary: plainScope });
  const isForbidden = (name: string) => name.length % 4 === 1;
  const rule = ruleOf(source, mirror, fc.constant("AllowContactingSource")).map((rule): RuleManifest => {
    if (!isForbidden(rule.source)) return rule;
    const mirrors = rule.mirrors?.filter((name) => name !== rule.source);
    return { ...rule, ...(mirrors ? { mirrors } : {}), mirrorSourcePolicy: "NeverContactSource" };
  });
  const icspRule = ruleOf(
    source.filter((name) => !isForbidden(name)),
    mirror,
    fc.constant(""),
  );
  return configuration(ruleLists(rule, icspRule), anyScope);
}

/** Returns configurations with one or two sources whose mirrors repeat, form loops, or are the source itself. */
export function contradictingConfigurations(): fc.Arbitrary<Configuration> {
  const source = fc.constantFrom("m", "a.io/s");
  const mirror = fc.constantFrom(..."a b c d x y z m a.io/s".split(" "));
  const rule = ruleOf(source, mirror, fc.constant("AllowContactingSource"));
  return configuration(ruleLists(rule, rule), anyScope);
}

/** Returns configurations that are mostly valid, with conflicting policies and some invalid strings. */
export function invalidConfigurations(): fc.Arbitrary<Configuration> {
  const source = fc.oneof(
    { weight: 20, arbitrary: plainScope },
    { weight: 1, arbitrary: wildcard },
    { weight: 1, arbitrary: badSource },
  );
  const mirror = fc.oneof(
    { weight: 30, arbitrary: mirrorHost },
    { weight: 10, arbitrary: plainScope },
    { weight: 1, arbitrary: badMirror },
  );
  const policy = fc.constantFrom("NeverContactSource", "AllowContactingSource");
  const scope = fc.oneof({ weight: 20, arbitrary: anyScope }, { weight: 1, arbitrary: badScope });
  const rule = ruleOf(source, mirror, policy);
  return configuration(ruleLists(rule, rule), scope);
}

/** Returns configurations with a release image. Most configurations block a scope that contains this image. */
export function guardedConfigurations(): fc.Arbitrary<Configuration> {
  const repository = fc.constantFrom(
    "a.io/ns/app",
    "x.a.io/ns",
    "x.a.io:5000/ns/a-b",
    "b.lan/app",
    "localhost/ns",
  );
  const version = fc.constantFrom(`@sha256:${"0".repeat(64)}`, `@sha256:${"0".repeat(64)}`, ":4.20", "");
  const upTo = (name: string) => {
    const [host = "", ...path] = name.split("/");
    return [name, ...path.map((_, i) => [host, ...path.slice(0, i)].join("/"))];
  };
  const around = (name: string) => fc.constantFrom(...upTo(name), "*.io", "*.a.io", "*.lan");
  const release = fc.oneof(
    { weight: 20, arbitrary: fc.tuple(repository, version) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom("", "app", "a.io/Upper", "docker.io/app"), version) },
  );
  return release.chain(([name, version]) => {
    const mirrored: fc.Arbitrary<RuleManifest> = ruleOf(
      around(name),
      fc.oneof(mirrorHost, fc.constantFrom(...upTo(name)), fc.constant("q.lan/release")),
      fc.constant("AllowContactingSource"),
    );
    return fc
      .record({
        configuration: agreeingConfigurations(),
        rules: fc.array(mirrored, { maxLength: 3 }),
        blocked: fc.array(around(name), { maxLength: 2 }),
      })
      .map(({ configuration, rules, blocked }) => ({
        ...configuration,
        blocked: [...blocked, ...configuration.blocked],
        idms: [imageDigestMirrorSet("a-release", rules), ...configuration.idms],
        releaseImage: `${name}${version}`,
      }));
  });
}

/** Roots of trust that every OpenShift release knows. PKI is missing, since only 4.19 and later know it. */
const rootOfTrust = fc.constantFrom(
  { policyType: "PublicKey", publicKey: { keyData } },
  { policyType: "PublicKey", publicKey: { keyData, rekorKeyData: keyData } },
  {
    policyType: "FulcioCAWithRekor",
    fulcioCAWithRekor: {
      fulcioCAData: certificate,
      rekorKeyData: keyData,
      fulcioSubject: { oidcIssuer: "https://oidc.lan", signedEmail: "dev@a.io" },
    },
  },
);

const signedIdentity = fc.constantFrom(
  { matchPolicy: "MatchRepoDigestOrExact" },
  { matchPolicy: "MatchRepository" },
  { matchPolicy: "ExactRepository", exactRepository: { repository: "a.io/ns/app" } },
  { matchPolicy: "RemapIdentity", remapIdentity: { prefix: "a.io/ns", signedPrefix: "b.lan/ns" } },
);

const policySpec = fc.record({
  scopes: fc.uniqueArray(
    fc.oneof(
      { weight: 6, arbitrary: plainScope },
      { weight: 1, arbitrary: wildcard },
      { weight: 1, arbitrary: fc.constantFrom("a.io/ns:v1", `b.lan/app@sha256:${"0".repeat(64)}`) },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  policy: fc.record({ rootOfTrust, signedIdentity }, { requiredKeys: ["rootOfTrust"] }),
});

/** Returns configurations with valid image policies, which blocked scopes may contradict. */
export function signedConfigurations(
  apiVersion: string,
): fc.Arbitrary<Configuration & Required<Pick<Configuration, "clusterImagePolicies" | "imagePolicies">>> {
  const specs = fc.array(policySpec, { maxLength: 2 });
  const policies = (kind: string, namespace?: string) =>
    specs.map((all) =>
      all.map((spec, index): KubernetesObject => {
        const metadata = { name: `p${index}`, ...(namespace === undefined ? {} : { namespace }) };
        return { apiVersion, kind, metadata, spec };
      }),
    );
  const without = (given: Configuration, hasLists: boolean): Configuration => ({
    ...given,
    ...(hasLists ? {} : { blocked: [] }),
  });
  return fc
    .record({
      configuration: fc.oneof(agreeingConfigurations(), guardedConfigurations()),
      hasLists: fc.boolean(),
      cluster: policies("ClusterImagePolicy"),
      a: policies("ImagePolicy", "a"),
      b: policies("ImagePolicy", "b"),
    })
    .map(({ configuration, hasLists, cluster, a, b }) => ({
      ...without(configuration, hasLists),
      clusterImagePolicies: cluster,
      imagePolicies: [...a, ...b],
    }));
}
