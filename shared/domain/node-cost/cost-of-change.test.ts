import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { namespacePolicyPath, nodePaths, textFile } from "../machine-config/node-file.ts";
import { configureMirrors } from "../mirrors/configuration.ts";
import {
  anImage,
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
} from "../mirrors/fixtures.ts";
import { encodeRegistriesConf } from "../mirrors/registries-conf.ts";
import type { RegistryEntry } from "../mirrors/registry-entry.ts";
import { type Cost, costs } from "./cost.ts";
import { type ChangeInput, costOfChange } from "./cost-of-change.ts";

const registriesConf = (text: string) => textFile(nodePaths.registriesConf, text);
const policies = (...files: readonly unknown[]): KubernetesObject => ({
  apiVersion: "operator.openshift.io/v1",
  kind: "MachineConfiguration",
  metadata: { name: "cluster" },
  spec: { nodeDisruptionPolicy: { files } },
});
const reloadCrio = { type: "Reload", reload: { serviceName: "crio.service" } };
const restartCrio = { type: "Restart", restart: { serviceName: "crio.service" } };

const withMirror = '[[registry]]\nlocation = "a.io"\n[[registry.mirror]]\nlocation = "m.lan"\n';
const digestMirror = `${withMirror}pull-from-mirror = "digest-only"\n`;
const search = "unqualified-search-registries = ['registry.access.redhat.com', 'docker.io']\n";
const sigstore = textFile(nodePaths.sigstoreRegistries, "docker: {}\n");
const policyJson = textFile(nodePaths.policy, "{}");
const namespaced = textFile(namespacePolicyPath("team"), "{}");
const searchDropIn = textFile(nodePaths.searchRegistries, 'unqualified-search-registries = ["a.io"]\n');
const safe = { before: [], after: [registriesConf(search + digestMirror)] };
const unsafe = { before: [], after: [registriesConf(search + withMirror)] };

type Row = Readonly<{
  name: string;
  input: ChangeInput;
  cost: Cost;
  actions: readonly string[];
  /** The code of the rule that decides. */
  rule: string;
}>;

const byPath: readonly Row[] = [
  {
    name: "nothing changes",
    input: { before: [policyJson], after: [policyJson] },
    cost: "none",
    actions: [],
    rule: "no-change",
  },
  {
    name: "registries.conf changes safely",
    input: safe,
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "registries-conf-safe",
  },
  {
    name: "registries.conf changes unsafely",
    input: unsafe,
    cost: "drain",
    actions: ["drain", "reload crio.service"],
    rule: "registries-conf-unsafe",
  },
  {
    name: "registries.conf differs in bytes alone",
    input: { before: [registriesConf(search)], after: [registriesConf(`# a comment\n${search}`)] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "registries-conf-same",
  },
  {
    name: "registries.conf with no more than the template is written for the first time",
    input: { before: [], after: [registriesConf(search)] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "registries-conf-same",
  },
  {
    name: "policy.json comes",
    input: { before: [], after: [policyJson] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "policy.json gets other permissions",
    input: { before: [policyJson], after: [{ ...policyJson, mode: 0o600 }] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "a file of registries.d goes",
    input: { before: [sigstore], after: [] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "a namespace's policy comes",
    input: { before: [], after: [namespaced] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "the search list's drop-in comes",
    input: { before: [], after: [searchDropIn] },
    cost: "reboot",
    actions: ["drain", "reboot"],
    rule: "no-policy",
  },
  {
    name: "the search list's drop-in goes",
    input: { before: [searchDropIn], after: [] },
    cost: "reboot",
    actions: ["drain", "reboot"],
    rule: "no-policy",
  },
  {
    name: "a file that nothing covers comes with a safe change",
    input: { before: [], after: [...safe.after, textFile("/etc/motd", "hello")] },
    cost: "reboot",
    actions: ["drain", "reboot"],
    rule: "no-policy",
  },
  {
    name: "several reloads come together",
    input: { before: [], after: [...safe.after, policyJson, sigstore, namespaced] },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "only a mirror's need for TLS and the mode for short names differ",
    input: {
      before: [registriesConf(digestMirror)],
      after: [registriesConf(`short-name-mode = "enforcing"\n${digestMirror}insecure = true\n`)],
    },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "registries-conf-safe",
  },
  {
    name: "registries.conf cannot be read",
    input: { before: [registriesConf(search)], after: [registriesConf("[[")] },
    cost: "reboot",
    actions: ["drain", "reboot"],
    rule: "registries-conf-unreadable",
  },
];

const byModifier: readonly Row[] = [
  {
    name: "a user wants crio reloaded for registries.conf, whatever changed",
    input: {
      ...unsafe,
      machineConfiguration: policies({ path: nodePaths.registriesConf, actions: [reloadCrio] }),
    },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "a user wants crio reloaded for a registries.conf that cannot be read",
    input: {
      before: [],
      after: [registriesConf("[[")],
      machineConfiguration: policies({ path: nodePaths.registriesConf, actions: [reloadCrio] }),
    },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "a user wants nothing done for registries.conf",
    input: {
      ...unsafe,
      machineConfiguration: policies({ path: nodePaths.registriesConf, actions: [{ type: "None" }] }),
    },
    cost: "none",
    actions: [],
    rule: "policy",
  },
  {
    name: "nothing is to be done for one file and crio restarted for another",
    input: {
      before: [],
      after: [...unsafe.after, policyJson],
      machineConfiguration: policies(
        { path: nodePaths.registriesConf, actions: [{ type: "None" }] },
        { path: nodePaths.policy, actions: [restartCrio] },
      ),
    },
    cost: "reload",
    actions: ["restart crio.service"],
    rule: "policy",
  },
  {
    name: "a user wants a drain for policy.json",
    input: {
      before: [],
      after: [policyJson],
      machineConfiguration: policies({ path: nodePaths.policy, actions: [{ type: "Drain" }, reloadCrio] }),
    },
    cost: "drain",
    actions: ["drain", "reload crio.service"],
    rule: "policy",
  },
  {
    name: "a user wants a reboot for registries.conf",
    input: {
      ...safe,
      machineConfiguration: policies({ path: nodePaths.registriesConf, actions: [{ type: "Reboot" }] }),
    },
    cost: "reboot",
    actions: ["drain", "reboot"],
    rule: "policy",
  },
  {
    name: "a user's policy covers the folder of the search list's drop-in",
    input: {
      before: [],
      after: [searchDropIn],
      machineConfiguration: policies({ path: "/etc/containers/registries.conf.d", actions: [reloadCrio] }),
    },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "policy",
  },
  {
    name: "there is one node and registries.conf changes unsafely",
    input: { ...unsafe, topology: "SingleReplica" },
    cost: "reload",
    actions: ["reload crio.service"],
    rule: "single-replica",
  },
  {
    name: "there is one node and a file that nothing covers",
    input: { before: [], after: [searchDropIn], topology: "SingleReplica" },
    cost: "reboot",
    actions: ["reboot"],
    rule: "no-policy",
  },
  {
    name: "there is one node and a user wants no more than a drain",
    input: {
      before: [],
      after: [policyJson],
      topology: "SingleReplica",
      machineConfiguration: policies({ path: nodePaths.policy, actions: [{ type: "Drain" }] }),
    },
    cost: "none",
    actions: [],
    rule: "policy",
  },
  {
    name: "two control plane nodes share the work",
    input: { ...unsafe, topology: "DualReplica" },
    cost: "drain",
    actions: ["drain", "reload crio.service"],
    rule: "registries-conf-unsafe",
  },
];

describe("what a change of files costs", () => {
  test.for([...byPath, ...byModifier])(
    "When $name, it should cost $cost by $rule",
    ({ input, ...expected }) => {
      const { cost, actions, rule } = costOfChange(input);
      expect({ cost, actions, rule: rule.code }).toEqual({
        cost: expected.cost,
        actions: expected.actions,
        rule: expected.rule,
      });
      expect(rule.text).toMatch(/^\S.*\.$/);
    },
  );
});

const source = "quay.io/ns";
const digest = (...mirrors: string[]) => anImageDigestMirrorSet("digest", [{ source, mirrors }]);
const never = (...mirrors: string[]) =>
  anImageDigestMirrorSet("digest", [{ source, mirrors, mirrorSourcePolicy: "NeverContactSource" }]);
const tag = (...mirrors: string[]) => anImageTagMirrorSet("tag", [{ source, mirrors }]);
const icsp = (...mirrors: string[]) => anImageContentSourcePolicy("digest", [{ source, mirrors }]);
const other = anImageDigestMirrorSet("other", [{ source: "a.io/other", mirrors: ["m1.lan/other"] }]);

type ObjectRow = Readonly<{
  name: string;
  before: readonly KubernetesObject[];
  after: readonly KubernetesObject[];
  cost: Cost;
}>;

const byObject: readonly ObjectRow[] = [
  {
    name: "a digest source is new",
    before: [digest("m.lan")],
    after: [digest("m.lan"), other],
    cost: "reload",
  },
  { name: "a digest source is the first of all", before: [], after: [digest("m.lan")], cost: "reload" },
  {
    name: "a content source policy's source is new",
    before: [other],
    after: [other, icsp("m.lan")],
    cost: "reload",
  },
  { name: "a digest source is new and never contacted", before: [], after: [never("m.lan")], cost: "reload" },
  {
    name: "a digest source is new and is a blocked scope that had inherited mirrors",
    before: [digest("m.lan"), anImage({ blockedRegistries: ["quay.io/ns/app"] })],
    after: [
      digest("m.lan"),
      anImage({ blockedRegistries: ["quay.io/ns/app"] }),
      anImageDigestMirrorSet("app", [{ source: "quay.io/ns/app", mirrors: ["n.lan"] }]),
    ],
    cost: "drain",
  },
  {
    name: "a digest source is new between a blocked scope and the source that it inherits from",
    before: [digest("m.lan"), anImage({ blockedRegistries: ["quay.io/ns/app/x"] })],
    after: [
      digest("m.lan"),
      anImage({ blockedRegistries: ["quay.io/ns/app/x"] }),
      anImageDigestMirrorSet("outer", [{ source: "quay.io", mirrors: ["n.lan"] }]),
    ],
    cost: "drain",
  },
  {
    name: "a digest source gets one more digest mirror",
    before: [digest("m.lan")],
    after: [digest("n.lan", "m.lan")],
    cost: "reload",
  },
  {
    name: "mirrors change places",
    before: [digest("m.lan", "n.lan")],
    after: [digest("n.lan", "m.lan")],
    cost: "reload",
  },
  { name: "a tag source is new", before: [other], after: [other, tag("m.lan")], cost: "drain" },
  {
    name: "a tag source gets one more mirror",
    before: [tag("m.lan")],
    after: [tag("m.lan", "n.lan")],
    cost: "drain",
  },
  { name: "a source is removed", before: [digest("m.lan"), other], after: [other], cost: "drain" },
  { name: "the last source is removed", before: [digest("m.lan")], after: [], cost: "drain" },
  {
    name: "a mirror is removed",
    before: [digest("m.lan", "n.lan")],
    after: [digest("n.lan")],
    cost: "drain",
  },
  {
    name: "a content source policy goes and the same digest mirror set stays",
    before: [icsp("m.lan"), digest("m.lan")],
    after: [digest("m.lan")],
    cost: "none",
  },
  {
    name: "contacting the source is forbidden",
    before: [digest("m.lan")],
    after: [never("m.lan")],
    cost: "drain",
  },
  {
    name: "contacting the source is allowed again",
    before: [never("m.lan")],
    after: [digest("m.lan")],
    cost: "drain",
  },
  {
    name: "a blocked scope outside any source is new",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ blockedRegistries: ["docker.io"] })],
    cost: "drain",
  },
  {
    name: "an insecure scope outside any source is new",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ insecureRegistries: ["b.lan"] })],
    cost: "drain",
  },
  {
    name: "a blocked scope under a source with digest mirrors is new",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ blockedRegistries: ["quay.io/ns/app"] })],
    cost: "reload",
  },
  {
    name: "an insecure scope under a source with digest mirrors is new",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ insecureRegistries: ["quay.io/ns/app"] })],
    cost: "reload",
  },
  {
    name: "a blocked scope under a source with tag mirrors is new",
    before: [tag("m.lan")],
    after: [tag("m.lan"), anImage({ blockedRegistries: ["quay.io/ns/app"] })],
    cost: "drain",
  },
  {
    name: "an existing source becomes blocked",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ blockedRegistries: [source] })],
    cost: "drain",
  },
  {
    name: "an existing source becomes insecure",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ insecureRegistries: ["quay.io"] })],
    cost: "drain",
  },
  {
    name: "a tag mirror set becomes a digest mirror set",
    before: [tag("m.lan")],
    after: [digest("m.lan")],
    cost: "reload",
  },
  {
    name: "a tag mirror set goes whose locations are digest mirrors too",
    before: [digest("m.lan"), tag("m.lan")],
    after: [digest("m.lan")],
    cost: "reload",
  },
  {
    name: "a tag mirror set comes whose locations are digest mirrors already",
    before: [digest("m.lan")],
    after: [digest("m.lan"), tag("m.lan")],
    cost: "drain",
  },
  {
    name: "a source that has one location for digests and tags gets another digest mirror",
    before: [digest("m.lan"), tag("m.lan")],
    after: [digest("m.lan", "n.lan"), tag("m.lan")],
    cost: "drain",
  },
  {
    name: "another source than the one with a location for digests and tags changes",
    before: [digest("m.lan"), tag("m.lan")],
    after: [digest("m.lan"), tag("m.lan"), other],
    cost: "reload",
  },
  {
    name: "an object without rules is the first of all",
    before: [],
    after: [anImageDigestMirrorSet("empty", [])],
    cost: "reload",
  },
  {
    name: "a search list is set",
    before: [digest("m.lan")],
    after: [digest("m.lan"), anImage({ containerRuntimeSearchRegistries: ["quay.io"] })],
    cost: "reboot",
  },
];

function filesOf(objects: readonly KubernetesObject[]) {
  const image = objects.find(({ kind }) => kind === "Image");
  return configureMirrors({ objects, ...(image ? { image } : {}) }, { compat: "mco" }).files;
}

describe("what a change of objects costs", () => {
  test.for(byObject)("When $name, it should cost $cost", ({ before, after, cost }) => {
    expect(costOfChange({ before: filesOf(before), after: filesOf(after) }).cost).toBe(cost);
  });
});

describe("the changes", () => {
  test("When several things change, it should tell the dearest first, files before scopes, then by name", () => {
    const { changes } = costOfChange({
      before: filesOf([digest("m.lan"), other]),
      after: [...filesOf([digest("m.lan", "n.lan"), tag("t.lan")]), policyJson],
    });
    expect(
      changes.map((change) => [change.cost, "path" in change ? change.path : change.scope, change.kind]),
    ).toEqual([
      ["drain", nodePaths.registriesConf, "changed"],
      ["drain", "a.io/other", "removed"],
      ["drain", source, "changed"],
      ["reload", nodePaths.policy, "added"],
    ]);
  });

  test("When a scope changes in several ways, it should tell all, the deciding one first", () => {
    const { changes } = costOfChange({
      before: filesOf([digest("m.lan")]),
      after: filesOf([digest("n.lan"), tag("t.lan")]),
    });
    const scope = changes.find((change) => "scope" in change);
    expect(scope?.rule).toEqual({
      code: "mirror-removed",
      text: "Removed from the mirrors: m.lan. The new mirror t.lan serves tag-only. The new mirror n.lan serves pulls by digest only.",
    });
    expect(scope).toMatchObject({
      before: { location: source, mirrors: [{ location: "m.lan" }] },
      after: { location: source, mirrors: [{ location: "n.lan" }, { location: "t.lan" }] },
    });
  });

  test("When the search list of registries.conf changes, it should be told by its key", () => {
    const { changes } = costOfChange({
      before: [registriesConf(search)],
      after: [registriesConf('unqualified-search-registries = ["docker.io"]\n')],
    });
    expect(changes).toMatchObject([
      { path: nodePaths.registriesConf, cost: "drain" },
      {
        path: `${nodePaths.registriesConf}#unqualified-search-registries`,
        before: ["registry.access.redhat.com", "docker.io"],
        after: ["docker.io"],
        cost: "drain",
        rule: { code: "search-registries-changed" },
      },
    ]);
  });

  test("When a policy decides whatever changed, it should be the rule of every scope", () => {
    const machineConfiguration = policies({ path: nodePaths.registriesConf, actions: [{ type: "None" }] });
    const { changes } = costOfChange({ ...unsafe, machineConfiguration });
    expect(changes.map(({ cost, rule: { code } }) => [cost, code])).toEqual([
      ["none", "policy"],
      ["none", "policy"],
    ]);
  });

  test("When nodes have another file below, it should be compared with that", () => {
    const { cost } = costOfChange({
      before: [],
      after: [registriesConf(digestMirror)],
      template: digestMirror,
    });
    expect(cost).toBe("reload");
    expect(costOfChange({ before: [], after: [registriesConf(digestMirror)] }).cost).toBe("drain");
  });
});

const anEntry = fc.record({
  prefix: fc.constantFrom("", "", "", "*.a.io"),
  location: fc.constantFrom("a.io", "b.io/ns", "c.io"),
  insecure: fc.boolean(),
  blocked: fc.boolean(),
  mirrorByDigestOnly: fc.constantFrom(false, false, false, true),
  mirrors: fc.array(
    fc.record({
      location: fc.constantFrom("m.lan", "n.lan", "a.io"),
      insecure: fc.boolean(),
      pullFromMirror: fc.constantFrom("digest-only", "tag-only", ""),
    }),
    { maxLength: 3 },
  ),
}) satisfies fc.Arbitrary<RegistryEntry>;
const someEntries = fc.uniqueArray(anEntry, {
  maxLength: 3,
  selector: ({ prefix, location }) => prefix || location,
});
const fileOf = (entries: readonly RegistryEntry[], comment = "") =>
  registriesConf(
    comment + encodeRegistriesConf({ entries, shortNameMode: "", additionalLayerStoreAuthHelper: "" }),
  );

describe("properties of the cost", () => {
  test("When nothing changes, it should cost nothing, whatever the files", () => {
    const file = fc.record({ path: fc.string(), mode: fc.nat(), contents: fc.string() });
    fc.assert(
      fc.property(fc.array(file), someEntries, (files, entries) => {
        const all = [...files, fileOf(entries)];
        expect(costOfChange({ before: all, after: [...all] })).toMatchObject({ cost: "none", changes: [] });
      }),
    );
  });

  test("When bytes differ and entries are reordered, it should cost what the content costs", () => {
    fc.assert(
      fc.property(someEntries, someEntries, (before, after) => {
        const plain = costOfChange({ before: [fileOf(before)], after: [fileOf(after)] });
        const disguised = costOfChange({
          before: [fileOf(before)],
          after: [fileOf([...after].reverse(), "# other bytes\n")],
        });
        const scopes = (changes: typeof plain.changes) => changes.filter((change) => "scope" in change);
        expect(scopes(disguised.changes)).toEqual(scopes(plain.changes));
        if (plain.cost !== "none") expect(disguised.cost).toBe(plain.cost);
      }),
    );
  });

  test("When more files change, it should never cost less", () => {
    const files = [registriesConf(search + withMirror), policyJson, sigstore, namespaced, searchDropIn];
    fc.assert(
      fc.property(fc.subarray(files), fc.subarray(files), (some, more) => {
        const few = costOfChange({ before: [], after: some }).cost;
        const many = costOfChange({ before: [], after: [...new Set([...some, ...more])] }).cost;
        expect(costs.indexOf(many)).toBeGreaterThanOrEqual(costs.indexOf(few));
      }),
    );
  });

  test("When mirrors are only added for digests, it should never drain", () => {
    fc.assert(
      fc.property(someEntries, fc.constantFrom("x.lan", "y.lan"), (entries, location) => {
        fc.pre(
          entries.every(({ mirrors }) => new Set(mirrors.map((m) => m.location)).size === mirrors.length),
        );
        const added = { location, insecure: false, pullFromMirror: "digest-only" };
        const after = entries.map((entry) => ({ ...entry, mirrors: [added, ...entry.mirrors] }));
        expect(costOfChange({ before: [fileOf(entries)], after: [fileOf(after)] }).cost).not.toBe("drain");
      }),
    );
  });
});
