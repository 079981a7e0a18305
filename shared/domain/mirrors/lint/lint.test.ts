import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tryParseImageReference } from "../../images/image-reference.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { configureMirrors, type MirrorInput } from "../configuration.ts";
import {
  aClusterVersion,
  anImage,
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageSourceTagPolicy,
  anImageTagMirrorSet,
  internalRegistry,
  payloadRepository,
  releaseImage,
} from "../fixtures.ts";
import { chainsOf, placeInOrder } from "../merge/merge.ts";
import { aClusterImagePolicy, anImagePolicy, simplePolicy } from "../policies/fixtures.ts";
import { resolve } from "../pull/pull-sources.ts";

/* Where each warning is. issue-texts.test.ts has their words. */

const rule = (source: string, ...mirrors: readonly string[]) => ({ source, mirrors });
const never = { mirrorSourcePolicy: "NeverContactSource" };
const allow = { mirrorSourcePolicy: "AllowContactingSource" };
const digests = (...rules: readonly unknown[]) => anImageDigestMirrorSet("digests", rules);
const more = (...rules: readonly unknown[]) => anImageDigestMirrorSet("more", rules);
const tags = (...rules: readonly unknown[]) => anImageTagMirrorSet("tags", rules);
const old = (...rules: readonly unknown[]) => anImageContentSourcePolicy("old", rules);
const any = (...rules: readonly unknown[]) => anImageSourceTagPolicy("any", rules);
const signed = (scope: string, signedIdentity?: unknown) =>
  aClusterImagePolicy("signed", [scope], { ...simplePolicy, signedIdentity });

type Lists = Readonly<Record<string, readonly string[]>>;
type Given = Omit<MirrorInput, "objects" | "image"> & Readonly<{ lists?: Lists; image?: KubernetesObject }>;

/** Returns `name path` for each issue with the code; paths without what all of them begin with. */
function places(code: string, objects: readonly KubernetesObject[], { lists, ...input }: Given = {}) {
  const image = lists ? { image: anImage(lists) } : {};
  const { issues } = configureMirrors({ objects, ...input, ...image }, { writer: "hubrelay" });
  return issues
    .filter((issue) => issue.code === code)
    .map(({ object, path }) => `${object.name} ${path.replace(/^spec\.(?:registrySources\.)?/, "")}`);
}

const redHat = "registry.redhat.io/openshift";

type Row = readonly [
  name: string,
  objects: readonly KubernetesObject[],
  reported: readonly string[],
  given?: Given,
];
const blocked = (...blockedRegistries: readonly string[]): Given => ({ lists: { blockedRegistries } });
const allowed = (...allowedRegistries: readonly string[]): Given => ({ lists: { allowedRegistries } });
const insecure = (...insecureRegistries: readonly string[]): Given => ({ lists: { insecureRegistries } });

const acme = rule("quay.io/acme", "m.lab/a", "n.lab/a");
const [a, b, c] = ["a.lab", "b.lab", "c.lab"] as const;
const ordered = (...mirrors: readonly string[]) => rule("foo.example.com", ...mirrors);
const [source, mirrorAt] = ["digests imageDigestMirrors[0].source", "digests imageDigestMirrors[0].mirrors"];
const [inOld, inMore] = ["old repositoryDigestMirrors[0]", "more imageDigestMirrors[0]"];
const second = "digests imageDigestMirrors[1]";
const half = rule("a.io/ns", "m.lab/ns", "bad.lab/ns");
const from = (name: string, ...mirrors: readonly string[]) => digests(rule(name, ...mirrors));
const closed = digests({ ...rule("a.io", "m.lab"), ...never });
const capabilities = (...enabledCapabilities: readonly string[]) => ({
  ...aClusterVersion(undefined),
  status: { capabilities: { enabledCapabilities } },
});
const openIn = (policy: object = {}) => more({ ...rule("a.io/ns", "m.lab/x"), ...policy });
const quay = digests(rule("quay.io/acme", "m.lab/quay/acme"));
const ofMirror = signed("m.lab/quay/acme");

const tables: Readonly<Record<string, readonly Row[]>> = {
  ContradictingOrder: [
    ["an old policy has another", [digests(ordered(a, b, c)), old(ordered(c, b, a))], [`${inOld}.mirrors`]],
    ["one has a part of the other's order", [digests(ordered(a, b, c)), more(ordered(a, c))], []],
    ["tags have the other order", [digests(ordered(a, b)), tags(ordered(b, a))], []],
    ["the same object has it", [digests(ordered(a, b), ordered(b, a))], [`${second}.mirrors`]],
    [
      "three rules are in a circle",
      [digests(ordered(a, b)), more(ordered(b, c)), anImageDigestMirrorSet("third", [ordered(c, a)])],
      ["third imageDigestMirrors[0].mirrors"],
    ],
    [
      "the source is first",
      [digests(ordered(a)), more(ordered("foo.example.com", a))],
      [`${inMore}.mirrors`],
    ],
  ],
  RuleWithoutMirrors: [
    ["a rule has no list", [digests({ source: "q.io" })], [mirrorAt]],
    ["a rule has an empty list", [digests(rule("q.io"))], [mirrorAt]],
    ["a rule names only its source", [from("q.io", "q.io")], [mirrorAt]],
    ["two have none", [digests(rule("a.io"), { source: "b.io", ...never })], [mirrorAt, `${second}.mirrors`]],
    ["an object has the same rule twice", [digests(rule("a.io"), rule("a.io"))], [mirrorAt]],
    ["a rule has a mirror besides its source", [from("q.io", "q.io", "m.lab")], []],
  ],
  NewerNamespaceNotMirrored: [
    ["only 4 has mirrors", [from(`${redHat}4`, "m.lab/four")], [source], { releaseVersion: "5.0.1" }],
    [
      "5 has mirrors in part",
      [digests(rule(`${redHat}4`, "m.lab/four"), rule(`${redHat}5/ose-cli`, "m.lab/cli"))],
      [],
      { releaseVersion: "5.0.1" },
    ],
    ["the release is of OpenShift 4", [from(`${redHat}4`, "m.lab/four")], [], { releaseVersion: "4.21.3" }],
  ],
  NeverMatches: [
    ["a source has no registry", [from("library/alpine", "m.lab/alpine")], [source]],
    ["a source is Docker Hub's old name", [from("index.docker.io", "m.lab")], [source]],
    [
      "listed scopes have no registry",
      [],
      ["cluster insecureRegistries[0]", "cluster blockedRegistries[0]"],
      { lists: { insecureRegistries: ["team/app"], blockedRegistries: ["index.docker.io", "team/other"] } },
    ],
    ["an allowed scope has none", [], ["cluster allowedRegistries[1]"], allowed("quay.io", "library/alpine")],
    ["a namespace of Docker Hub is mirrored", [from("docker.io/grafana", "m.lab/grafana")], []],
    ["library itself is mirrored", [from("docker.io/library", "m.lab/library")], []],
    ["the host is this machine", [from("localhost/team", "m.lab/team")], []],
    ["an old API server accepted a malformed scope", [], [], blocked("team/App:tag")],
  ],
  MirrorBreaksPulls: [
    ...["registry/acme", "registry", "index.docker.io/acme"].map(
      (mirror): Row => [
        `the mirror is ${mirror}`,
        [from("quay.io/acme", "m.lab", mirror)],
        [`${mirrorAt}[1]`],
      ],
    ),
    ...["registry:5000/acme", "localhost/acme", "m.lab", "docker.io/acme", "quay.io/acme"].map(
      (mirror): Row => [`the mirror is ${mirror}`, [from("quay.io/acme", mirror, "m.lab/a")], []],
    ),
    ["a source without a full host is its own mirror", [from("team/app", "team/app", "m.lab/a")], []],
  ],
  MirrorBlocked: [
    ["its scope is blocked", [digests(half)], [`${mirrorAt}[1]`], blocked("bad.lab")],
    ["a part of it is blocked", [digests(half)], [`${mirrorAt}[1]`], blocked("bad.lab", "bad.lab/ns/p")],
    ["it is closed", [digests(half), more({ ...rule("bad.lab", "m.lab"), ...never })], [`${mirrorAt}[1]`]],
    ["two are in a scope", [digests(half, rule("b.io", "bad.lab/b"))], [`${mirrorAt}[0]`], blocked("*.lab")],
    ["nothing is blocked", [digests(half)], [], insecure("bad.lab")],
    ["only a part of it is blocked", [digests(half)], [], blocked("bad.lab/ns/part")],
    ...["bad.lab/ns/part", "bad.lab/ns"].map(
      (name): Row => [
        `${name} is open in a closed source`,
        [
          digests(half),
          more({ ...rule("bad.lab", "m.lab"), ...never }, { ...rule(name, "m.lab/p"), ...allow }),
        ],
        [],
      ],
    ),
  ],
  SourceBlocked: [
    ["a scope around it is blocked", [digests(acme)], [source], blocked("quay.io")],
    ["exactly it is blocked", [digests(acme)], [source], blocked("quay.io/acme")],
    ["a wildcard around it is blocked", [digests(acme)], [source], blocked("*.io")],
    ["only a part of it is blocked", [digests(acme)], [], blocked("quay.io/acme/x")],
    [
      "the scope contains the release payload, which is accepted",
      [from(payloadRepository, "m.lab/release")],
      [],
      { ...blocked("quay.io"), clusterVersion: aClusterVersion(releaseImage) },
    ],
  ],
  SourceNotAllowed: [
    ["only its mirror is allowed", [digests(acme)], [source], allowed("m.lab")],
    ["a scope around it is allowed", [digests(acme)], [], allowed("quay.io")],
    ["a part of it is allowed", [digests(acme)], [], allowed("quay.io/acme/x")],
    ["an old API server accepted a scope", [from("q.io/app", "m.lab")], [], allowed("m.lab", "q.io/app:v1")],
    ["no list says anything", [digests(acme)], [], insecure("quay.io")],
  ],
  InternalRegistryNotAllowed: [
    ["the list lacks it", [], ["cluster allowedRegistries"], allowed("quay.io")],
    [
      "the cluster has the capability",
      [],
      ["cluster allowedRegistries"],
      { ...allowed("quay.io"), clusterVersion: capabilities("ImageRegistry") },
    ],
    ["the cluster has none", [], [], { ...allowed("quay.io"), clusterVersion: capabilities("Console") }],
    ["the list has it", [], [], allowed("quay.io", internalRegistry)],
    ["a wildcard has it", [], [], allowed("*.svc")],
    ["nothing is limited", [], [], { lists: {} }],
  ],
  HidesMirrors: [
    ["digests are in a source of tags", [from("a.io/ns", "m.lab/a"), tags(rule("a.io", "m.lab"))], [source]],
    [
      "tags are in digests",
      [tags(rule("x.a.io/ns", "m.lab/x")), from("*.a.io", "m.lab")],
      ["tags imageTagMirrors[0].source"],
    ],
    [
      "sources are in different ones",
      [
        digests(rule("a.io/x", "m.lab/x"), rule("b.io/y", "m.lab/y")),
        tags(rule("a.io", "m"), rule("b.io", "n")),
      ],
      [source, `${second}.source`],
    ],
    [
      "both are in one",
      [digests(rule("a.io/x", "m.lab/x"), rule("a.io/y", "m.lab/y")), tags(rule("a.io", "m"))],
      [source],
    ],
    ["the outer one serves all pulls", [from("a.io/b", "m.lab/b"), any(rule("a.io", "m.lab"))], [source]],
    ["it has both", [from("a.io/b", "m.lab"), tags(rule("a.io", "m.lab"), rule("a.io/b", "m.lab/b"))], []],
    ["the inner one serves all pulls", [any(rule("a.io/b", "m.lab/b")), tags(rule("a.io", "m.lab"))], []],
    ["they lie apart", [from("a.io", "m.lab"), tags(rule("b.io", "m.lab"), rule("a.io:5000", "n.lab"))], []],
    ["they are the same", [from("a.io", "m.lab"), tags(rule("a.io", "m.lab"))], []],
    ["both have the same kind", [digests(rule("a.io", "m.lab"), rule("a.io/b", "m.lab/b"))], []],
  ],
  NeverContactSourceNotInherited: [
    ["a rule inside has no policy", [closed, openIn()], [`${inMore}.source`]],
    ["an insecure scope is inside", [closed], ["cluster insecureRegistries[1]"], insecure("b.io", "a.io/ns")],
    ["the kind has no policies", [closed, old(rule("a.io/ns", "m.lab/x"))], [`${inOld}.source`]],
    [
      "one of two rules has a policy",
      [closed, more({ ...rule("a.io/ns", "m.lab/x"), ...allow }, rule("a.io/ns", "m.lab/y"))],
      ["more imageDigestMirrors[1].source"],
    ],
    ["a listed scope has a rule", [closed, openIn()], [`${inMore}.source`], insecure("a.io/ns")],
    ["the rule inside allows it", [closed, openIn(allow)], []],
    ["the rule inside forbids it too", [closed, openIn(never)], []],
    ["the source inside is blocked", [closed, openIn()], [], blocked("a.io/ns")],
    ["the source around it is open", [openIn()], []],
    ["the other source is elsewhere", [closed, more(rule("b.io/ns", "m.lab/x"))], []],
  ],
  PolicyScopeOfMirror: [
    ["its scope is a mirror", [quay, ofMirror], ["signed scopes[0]"]],
    ["its scope is in a mirror", [quay, signed("m.lab/quay/acme/app:v1")], ["signed scopes[0]"]],
    [
      "only another namespace has the source",
      [quay, anImagePolicy("a", "team", ["m.lab/quay/acme"]), anImagePolicy("b", "other", ["quay.io"])],
      ["team scopes[0]"],
    ],
    ["another has the source too", [quay, ofMirror, aClusterImagePolicy("other", ["quay.io"])], []],
    ["its registry has images of its own", [quay, signed("m.lab")], []],
    ["images of the source are rejected", [quay, ofMirror], [], blocked("quay.io")],
    ["images of the source are not allowed", [quay, ofMirror], [], allowed("m.lab")],
  ],
  SignatureNameNeedsTag: [
    ["the match policy is left out", [signed("q.io")], ["signed policy.signedIdentity"]],
    ["it is null", [signed("q.io", null)], ["signed policy.signedIdentity"]],
    [
      "it is RemapIdentity",
      [
        signed("q.io", {
          matchPolicy: "RemapIdentity",
          remapIdentity: { prefix: "q.io", signedPrefix: "r.io" },
        }),
      ],
      ["signed policy.signedIdentity.matchPolicy"],
    ],
    ["it is written out", [signed("q.io", { matchPolicy: "MatchRepoDigestOrExact" })], []],
    ["it is MatchRepository", [signed("q.io", { matchPolicy: "MatchRepository" })], []],
  ],
};

describe.for(Object.entries(tables))("%s", ([code, rows]) => {
  test.for(rows)("When $0, it should report $2", ([, objects, reported, given]) => {
    expect(places(code, objects, given)).toEqual(reported);
  });
});

test("When a mirror breaks pulls, none of the locations should be tried", () => {
  const { entries } = configureMirrors({ objects: [from("quay.io/acme", "m.lab/acme", "registry/acme")] });
  const image = tryParseImageReference(`quay.io/acme/app@sha256:${"a".repeat(64)}`);
  const { candidates } = resolve(entries, image ?? { repository: "" });
  expect(candidates.filter(({ taken }) => taken)).toEqual([]);
});

test("When rules are merged, an order should be reported as lost exactly if the merge did not keep it", () => {
  const mirrors = fc.uniqueArray(fc.constantFrom(a, b, c, "d.lab", "e.lab"), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(mirrors, { minLength: 1, maxLength: 4 }), (lists) => {
      const rules = lists.map((list) => ordered(...list));
      const order = placeInOrder(chainsOf(rules));
      const isLost = chainsOf(rules).some((chain) =>
        chain.slice(1).some((name, index) => order.indexOf(name) < order.indexOf(chain[index] ?? "")),
      );
      const objects = rules.map((one, index) => anImageDigestMirrorSet(`set-${index}`, [one]));
      expect(places("ContradictingOrder", objects).length > 0).toBe(isLost);
    }),
  );
});
