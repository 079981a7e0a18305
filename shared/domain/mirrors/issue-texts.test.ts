import { expect, test } from "vitest";
import type { Issue } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { configureMirrors, type MirrorInput, type MirrorOptions } from "./configuration.ts";
import {
  aClusterVersion,
  anImage,
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageSourceTagPolicy,
  anImageTagMirrorSet,
  componentRepository,
  internalRegistry,
  payloadRepository as R,
  releaseImage,
} from "./fixtures.ts";
import { aClusterImagePolicy, anImagePolicy, simplePolicy } from "./policies/fixtures.ts";

/*
 * What an administrator reads: the words of each issue and, where machine-config-operator has a message for the same trouble,
 * that one, since it is what people search for. Other tests name codes and paths only.
 */

const idms = (...rules: unknown[]) => anImageDigestMirrorSet("idms", rules);
const itms = (...rules: unknown[]) => anImageTagMirrorSet("itms", rules);
const icsp = (...rules: unknown[]) => anImageContentSourcePolicy("icsp", rules);
const odd = (apiVersion: string, kind: string, spec?: unknown): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: "odd" },
  spec,
});
const config = "config.openshift.io/v1";
const rule = (source: string, ...mirrors: readonly string[]) => ({ source, mirrors });
const never = { mirrorSourcePolicy: "NeverContactSource" };
const anyPull = anImageSourceTagPolicy("p", [rule("q.io/a", "m/a")]);
const own = { writer: "hubrelay" } as const;
const sources = "spec.registrySources";
const release = idms(rule(R, "m.lab/release"));
const signed = (...scopes: readonly string[]) => aClusterImagePolicy("signed", scopes);
const identified = (signedIdentity: unknown) =>
  aClusterImagePolicy("signed", ["q.io"], { ...simplePolicy, signedIdentity });
const remapped = { prefix: "q.io", signedPrefix: "r.io" };
const other = (version: string) => ({ ...signed("a.io"), apiVersion: `config.openshift.io/${version}` });

type Given = Omit<MirrorInput, "objects" | "image"> &
  MirrorOptions &
  Readonly<{ lists?: Readonly<Record<string, readonly string[]>> }>;
type Text = string | RegExp;
type Row = readonly [
  code: Issue["code"],
  objects: readonly KubernetesObject[],
  message: Text,
  remedy?: Text | undefined,
  given?: Given,
];
const blocked = (...blockedRegistries: readonly string[]) => ({ lists: { blockedRegistries } });
const allowed = (...allowedRegistries: readonly string[]) => ({ lists: { allowedRegistries } });
const insecure = (...insecureRegistries: readonly string[]) => ({ lists: { insecureRegistries } });
const stored = { isStored: true } as const;
const ofRelease = { releaseImage } as const;

const rows: readonly Row[] = [
  ["InvalidSource", [idms(rule("q.io/x:tag"))], 'invalid format for source "q.io/x:tag"', /^Remove the tag;/],
  [
    "InvalidMirror",
    [idms(rule("q.io", "https://m"))],
    'invalid format for mirror "https://m"',
    /the scheme;/,
  ],
  [
    "SourceIsOwnMirror",
    [idms({ ...rule("q.io", "q.io"), ...never })],
    'cannot set mirrorSourcePolicy: NeverContactSource if the source "q.io" is one of the mirrors',
    "Remove this mirror, or allow contacting the source.",
  ],
  [
    "InvalidMirrorSourcePolicy",
    [idms({ ...rule("q.io", "m"), mirrorSourcePolicy: "Never" })],
    /"Never" is unknown/,
    "Write AllowContactingSource or NeverContactSource, or leave the field out.",
  ],
  [
    "ConflictingMirrorSourcePolicy",
    [idms({ ...rule("a.io", "m"), ...never }), icsp(rule("a.io", "n"))],
    'conflicting mirrorSourcePolicy is set for the same source "a.io" in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies',
    "Give every rule of this source one mirrorSourcePolicy: it is NeverContactSource here and AllowContactingSource in ImageContentSourcePolicy/icsp spec.repositoryDigestMirrors[0].",
  ],
  ["DuplicateMirror", [idms(rule("q.io", "m", "m"))], /twice; the API server refuses/, /^Remove/],
  ["DuplicateMirror", [icsp(rule("q.io", "m", "m"))], /^mirror "m" is listed twice, which can move it/],
  [
    "WrongApiVersion",
    [odd("operator.openshift.io/v1", "ImageDigestMirrorSet")],
    /^ImageDigestMirrorSet is not served as operator\.openshift\.io\/v1;/,
    "Write apiVersion: config.openshift.io/v1.",
  ],
  [
    "UnknownKind",
    [odd(config, "ImageTagMirror")],
    /^ImageTagMirror is not a kind of the API;/,
    /kind: ImageTagMirrorSet, with its rules in spec\.imageTagMirrors\.$/,
  ],
  [
    "KindWithoutEffect",
    [odd(config, "ImageContentPolicy")],
    /nothing reads it/,
    /ImageDigestMirrorSet and, for pulls by tag, an ImageTagMirrorSet\.$/,
  ],
  [
    "WrongField",
    [odd(config, "ImageDigestMirrorSet", { repositoryDigestMirrors: [] })],
    "ImageDigestMirrorSet has its rules in spec.imageDigestMirrors; those in spec.repositoryDigestMirrors have no effect",
    "Rename spec.repositoryDigestMirrors to spec.imageDigestMirrors.",
  ],
  [
    "MissingField",
    [odd(config, "ImageTagMirrorSet")],
    "ImageTagMirrorSet has no spec; the API server refuses it",
    "Write a spec with its rules, or remove the object.",
  ],
  [
    "UnknownField",
    [idms({ ...rule("a.io", "m.lab"), typo: 1 })],
    "ImageDigestMirrorSet has no such field here: oc and kubectl refuse it, and other clients drop it.",
    "Remove it, or correct its name; the fields here are source, mirrors, mirrorSourcePolicy.",
  ],
  [
    "InvalidType",
    [idms(7)],
    "spec.imageDigestMirrors[0] must be an object with source and mirrors, but is a number",
    "Write spec.imageDigestMirrors[0] as an object with source and mirrors.",
  ],
  ["SupersededKind", [anImageSourceTagPolicy("p", [])], /OpenShift does not read/, undefined, own],
  [
    "WildcardSourceNested",
    [idms(rule("*.q.io", "m"))],
    /^internal error: mirrorsAdjustedForNestedScope for a wildcard scope "\*\.q\.io": it covers a\.q\.io, b\.q\.io,/,
    /^Give a\.q\.io, b\.q\.io mirrors of its own/,
    blocked("a.q.io", "b.q.io"),
  ],
  ["InvalidScope", [], 'invalid entry for blocked registries "*"', /^Use a wildcard only/, blocked("*")],
  [
    "InvalidScope",
    [],
    'invalid entry for insecure registries "http://a.io": the container runtime refuses the whole file that it is rendered to',
    /^Remove the scheme; a scope is/,
    insecure("http://a.io"),
  ],
  [
    "InvalidScope",
    [],
    'invalid entry for insecure registries "a.io/x:tag": newer API servers refuse it',
    /^Remove the tag; a scope is/,
    insecure("a.io/x:tag"),
  ],
  ["InvalidScope", [], 'invalid entry for allowed registries "*.a.io/x"', undefined, allowed("*.a.io/x")],

  [
    "MirrorBreaksPayload",
    [idms(rule(R, "m.lab"))],
    /^rewriting reference: repository name must be canonical: .*ocp-release" fails$/,
    /host\[:port\]\/path\.$/,
    ofRelease,
  ],
  [
    "PayloadUnreachable",
    [idms({ ...rule(R, "m.lab/a"), ...never })],
    /^the release payload ".*ocp-release" could not be pulled from anywhere:/,
    /^Add a digest mirror that has the release payload/,
    { ...ofRelease, ...blocked("m.lab") },
  ],
  [
    "PayloadBlocked",
    [],
    'error adding ["quay.io"] to blocked registries, cannot block the repository being used by the payload; the entry blocks nothing',
    /^Mirror quay\.io\/openshift-release-dev\/ocp-release with an ImageDigestMirrorSet/,
    { ...ofRelease, ...blocked("quay.io") },
  ],
  [
    "GuardFailedOpen",
    [idms(rule(R, "m.lab"))],
    /machine-config-operator blocks none of these registries, .*: rewriting reference: m\.lab@sha/,
    /until then nodes pull from these registries/,
    { ...ofRelease, ...stored, ...blocked("quay.io") },
  ],
  [
    "InvalidReleaseImage",
    [],
    "error parsing reference of release image",
    /^Find out why .* \(host\/path@digest\)/,
    { clusterVersion: aClusterVersion("ocp"), lists: {} },
  ],
  [
    "OnlyPayloadAllowed",
    [release],
    `with exactly the repository of the release image blocked, the policy.json of machine-config-operator rejects every image but those of "${R}", other images of the release too`,
    `Remove ${R} from ${sources}.blockedRegistries of Image/cluster, and give its rules mirrorSourcePolicy NeverContactSource.`,
    { ...ofRelease, ...stored, ...blocked(R) },
  ],
  [
    "PayloadNotAllowed",
    [],
    `the release payload "${R}", "${componentRepository}" is not in allowedRegistries: nodes would reject it, also from a mirror`,
    `Add ${R} and ${componentRepository} or a scope around it to ${sources}.allowedRegistries.`,
    { ...ofRelease, ...allowed("a.io") },
  ],
  [
    "AllowedAndBlocked",
    [release],
    /^invalid images config/,
    "These scopes contain the release payload, which machine-config-operator allows once for each: block it by only one scope.",
    { ...ofRelease, ...stored, ...blocked("quay.io", "quay.io/openshift-release-dev") },
  ],

  [
    "AllowedAndBlocked",
    [],
    "invalid images config: only one of AllowedRegistries or BlockedRegistries may be specified",
    `Remove ${sources}.allowedRegistries or ${sources}.blockedRegistries.`,
    { lists: { allowedRegistries: ["quay.io"], blockedRegistries: ["b.io"] } },
  ],
  [
    "PolicyScopeNotAllowed",
    [signed("a.io")],
    "clusterimagePolicy configured for the scope a.io is not nested inside allowedRegistries",
    `Add the scope to ${sources}.allowedRegistries of Image/cluster, or remove it here.`,
    allowed("quay.io"),
  ],
  [
    "PolicyScopeBlocked",
    [anImagePolicy("ns", "p", ["a.io/x"])],
    "imagePolicy configured for the scope a.io/x is nested inside blockedRegistries",
    `Remove the scope that contains it from ${sources}.blockedRegistries of Image/cluster, or remove it here.`,
    blocked("a.io"),
  ],
  [
    "PolicyScopeUnusable",
    [signed("b.io"), aClusterImagePolicy("second", ["a.io/app"]), idms(rule("a.io/app", "m.lab"))],
    `error adding clusterimagepolicy scope a.io/app relevant mirrors: m.lab@sha256:${"a".repeat(64)} is not a full image reference`,
    "Give the mirror of a.io/app a repository (host[:port]/path) and a full host name, or remove the scope.",
  ],
  [
    "ConflictScopes",
    [signed("a.io"), anImagePolicy("ns", "q", ["a.io/x"])],
    'has conflicting scope(s) ["a.io/x"] that equal to or nest inside existing clusterimagepolicy, only policy from clusterimagepolicy scope(s) will be applied',
    "Remove the scope here, or from the ClusterImagePolicy that covers it.",
  ],
  [
    "UnloadableRegistries",
    [signed("b.io")],
    /^loading registries configuration: ./,
    "Change the scope that the reason names; nodes could not load the file either.",
    { ...stored, ...insecure("http://a.io") },
  ],
  [
    "WrongApiVersion",
    [other("v1alpha1")],
    "ClusterImagePolicy is not read as config.openshift.io/v1alpha1",
    "Write apiVersion: config.openshift.io/v1, or name the release of the cluster if it is 4.19 or older: 5.1 is assumed.",
  ],
  ["WrongApiVersion", [other("v2")], /is not read as/, "Write apiVersion: config.openshift.io/v1."],
  ["WrongApiVersion", [other("v1alpha1")], /images in its scopes would not be verified$/, undefined, stored],
  [
    "InvalidImagePolicy",
    [aClusterImagePolicy("p", ["q.io"], {})],
    "spec.policy.rootOfTrust must be an object",
    "Change spec.policy.rootOfTrust; the API server refuses the policy.",
  ],

  [
    "DeprecatedKind",
    [icsp(rule("q.io", "m.lab"))],
    "ImageContentSourcePolicy is deprecated",
    /`hubrelay convert` makes of it, then delete it; `--check` proves that no node is affected\.$/,
  ],
  [
    "ContradictingOrder",
    [idms(rule("q.io", "a.lab", "b.lab")), icsp(rule("q.io", "b.lab", "a.lab"))],
    "This order is lost: nodes try a.lab, b.lab. Where rules contradict each other, the first mirror by name is placed first",
    "Write all mirrors of q.io into one rule, in the order in which nodes are to try them.",
  ],
  [
    "RuleWithoutMirrors",
    [idms(rule("q.io"))],
    'this rule has no mirror of "q.io" and no effect',
    "Add a mirror, or remove the rule.",
  ],
  [
    "RuleWithoutMirrors",
    [idms({ source: "q.io", ...never })],
    'this rule has no mirror of "q.io", so its NeverContactSource has no effect',
    "Add a mirror, or block the source by spec.registrySources.blockedRegistries of Image/cluster.",
  ],
  [
    "NeverMatches",
    [idms(rule("library/alpine", "m.lab"))],
    '"library/alpine" matches no image: a name without a registry is looked up as docker.io/library/alpine',
    "Add the registry, for example docker.io/library/alpine.",
  ],
  [
    "NeverMatches",
    [idms(rule("index.docker.io/grafana", "m.lab"))],
    '"index.docker.io/grafana" matches no image: those of index.docker.io are looked up as docker.io',
    "Write docker.io/grafana.",
  ],
  ["NeverMatches", [], /is listed|matches no image/, "Write docker.io.", blocked("index.docker.io")],
  [
    "MirrorBreaksPulls",
    [idms(rule("q.io/a", "registry/a"))],
    'the mirror "registry/a" has no full host name: every pull by digest of "q.io/a" fails, before any mirror or the source is tried',
    "Write the host in full, for example registry.example.com or registry:5000.",
  ],
  ["MirrorBreaksPulls", [itms(rule("q.io/a", "index.docker.io/a"))], /every pull by tag of/, /docker\.io\.$/],
  ["MirrorBreaksPulls", [anyPull], /every pull of /, undefined, own],
  [
    "MirrorBlocked",
    [idms(rule("q.io", "bad.lab/q"))],
    'the mirror "bad.lab/q" is never used, since "bad.lab" is blocked',
    "Remove the mirror, or remove the scope from spec.registrySources.blockedRegistries of Image/cluster.",
    blocked("bad.lab"),
  ],
  [
    "MirrorBlocked",
    [idms(rule("q.io", "bad.lab/q"), { ...rule("bad.lab", "m.lab"), ...never })],
    'the mirror "bad.lab/q" is never used, since "bad.lab" must not be contacted (NeverContactSource)',
    "Remove the mirror, or allow contacting the source that contains it.",
  ],
  [
    "SourceBlocked",
    [idms(rule("q.io/a", "m.lab"))],
    'images of "q.io/a" are rejected, from mirrors too, since "q.io" is blocked',
    "Remove q.io from spec.registrySources.blockedRegistries of Image/cluster and give the rule mirrorSourcePolicy NeverContactSource, or remove the rule.",
    blocked("q.io"),
  ],
  [
    "SourceNotAllowed",
    [idms(rule("q.io/a", "m.lab"))],
    'images of "q.io/a" are rejected, from mirrors too, since the source is not in allowedRegistries',
    "Add the source, not its mirrors, to spec.registrySources.allowedRegistries of Image/cluster, or remove the rule.",
    allowed("m.lab"),
  ],
  [
    "InternalRegistryNotAllowed",
    [],
    `nodes reject the images of the cluster's own registry, since "${internalRegistry}" is not in allowedRegistries`,
    `Add ${internalRegistry} to spec.registrySources.allowedRegistries.`,
    allowed("quay.io"),
  ],
  [
    "HidesMirrors",
    [idms(rule("a.io/b/c", "m.lab")), itms(rule("a.io", "m"), rule("*.io", "m"), rule("a.io/b", "m"))],
    'pulls by tag of "a.io/b/c" do not use the tag mirrors of "a.io/b", because it has mirrors of its own',
    "Add a.io/b/c to an ImageTagMirrorSet, with the mirrors for pulls by tag.",
  ],
  [
    "HidesMirrors",
    [itms(rule("x.a.io/b", "m.lab")), idms(rule("x.a.io", "m"), rule("*.a.io", "m"))],
    /digest mirrors of "\*\.a\.io"/,
    /^Add .* to an ImageDigestMirrorSet/,
  ],
  [
    "NeverContactSourceNotInherited",
    [idms({ ...rule("a.io", "m.lab"), ...never }, rule("a.io/ns", "m.lab/x"))],
    '"a.io/ns" may be contacted: NeverContactSource of "a.io" does not apply to it',
    "Give every rule of a.io/ns a mirrorSourcePolicy: NeverContactSource, or AllowContactingSource if that is intended.",
  ],
  [
    "NeverContactSourceNotInherited",
    [idms({ ...rule("a.io", "m.lab"), ...never })],
    '"a.io/ns" may be contacted: NeverContactSource of "a.io" does not apply to it',
    "Add a rule for a.io/ns with mirrorSourcePolicy NeverContactSource, or remove the scope from the list.",
    insecure("a.io/ns"),
  ],
  [
    "PolicyScopeOfMirror",
    [idms(rule("q.io/a", "m.lab/q")), signed("m.lab/q/app:v1")],
    '"m.lab/q/app:v1" is a mirror of "q.io/a/app:v1", whose images are not verified: policies match the name in the pod, not the mirror',
    "Add the scope q.io/a/app:v1.",
  ],
  [
    "PolicyScopeOfMirror",
    [idms(rule("*.corp", "m.lab/c")), signed("m.lab/c/app")],
    /is a mirror of/,
    /scope \*\.corp\.$/,
  ],
  [
    "SignatureNameNeedsTag",
    [signed("q.io")],
    "by default a signature is refused when its name has neither tag nor digest, also for pulls by digest",
    "Write matchPolicy MatchRepository if the signer leaves the tag out, as cosign does, or MatchRepoDigestOrExact if it does not.",
  ],
  [
    "SignatureNameNeedsTag",
    [identified({ matchPolicy: "RemapIdentity", remapIdentity: remapped })],
    "with RemapIdentity a signature is refused when its name has neither tag nor digest, also for pulls by digest",
    "Sign with the tag in the name (cosign: --sign-container-identity), or write matchPolicy ExactRepository with the signed repository, which needs no tag.",
  ],
];

const matching = (text: Text = /./) => (typeof text === "string" ? text : expect.stringMatching(text));

test.for(rows)(
  "When $0 is reported, it should say $2 and what to do",
  ([code, objects, message, remedy, given]) => {
    const { lists, isStored, writer, ...input } = given ?? {};
    const options = { ...(isStored ? { isStored } : {}), ...(writer ? { writer } : {}) };
    const { issues } = configureMirrors(
      { objects, ...input, ...(lists ? { image: anImage(lists) } : {}) },
      options,
    );
    expect(issues.filter((issue) => issue.code === code)).toContainEqual(
      expect.objectContaining({ message: matching(message), remedy: matching(remedy) }),
    );
  },
);

test.for([
  ["ocp", "ocp"],
  [1, 1],
  [undefined, null],
])("When the ClusterVersion wants $0, it should report the value and its path", ([image, value]) => {
  const input = { objects: [], clusterVersion: aClusterVersion(image), image: anImage({}) };
  expect(configureMirrors(input).issues).toMatchObject([
    { object: { kind: "ClusterVersion", name: "version" }, path: "status.desired.image", value },
  ]);
});

test("When another project's policy has the same kind, it should be ignored", () => {
  const theirs = { ...signed("a.io"), apiVersion: "config.example.com/v1" };
  expect(configureMirrors({ objects: [theirs] })).toMatchObject({ issues: [], files: [], refused: false });
});
