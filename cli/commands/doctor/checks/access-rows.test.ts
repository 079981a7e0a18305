import { expect, test } from "vitest";
import { hostOfKey } from "#shared/adapters/oci/pull-secret.ts";
import { accessText } from "#shared/domain/kubernetes/access.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { AccessEnd } from "#shared/domain/ready/access-ends.ts";
import { scriptedRegistry } from "../../../../test/support/servers/scripted-registry.ts";
import { certificate } from "../../../../test/support/servers/server-certificate.ts";
import {
  hubRbacManifests,
  neededAccess,
  registryEnds,
  registryEndsVerdict,
  withLease,
} from "./access-rows.ts";
import { checkedHub, now, roles } from "./fixtures.ts";

test("When accounts need the same permission, it should be reviewed once for the caller, and for each account", async () => {
  const reviewsOf = async (asAccounts: boolean) =>
    (await checkedHub({ asAccounts })).reviews.map(({ access, account }) => `${access} ${account?.name}`);
  expect(await reviewsOf(false)).toEqual(["get g a undefined", "get g b undefined"]);
  expect(await reviewsOf(true)).toEqual([
    "get g a hubrelay-forwarder",
    "get g b hubrelay-forwarder",
    "get g b hubrelay-hosted-clusters",
  ]);
});

test("When the roles of a deployment are read, every account should need a permission", async () => {
  const needed = neededAccess(await hubRbacManifests());
  expect(needed.map(({ name }) => name)).toEqual(expect.arrayContaining(["forwarder", "mirror-config"]));
  expect(needed.filter(({ accesses }) => accesses.length === 0)).toEqual([]);
});

const leaseTexts = (namespace: string, name: string, ...verbs: readonly string[]) =>
  verbs.map(
    (verb) => `${verb} coordination.k8s.io leases${verb === "create" ? "" : ` ${name}`} in ${namespace}`,
  );

test.for([
  ["forwarder", leaseTexts("edge", "mine", "create", "get", "update")],
  ["resync", leaseTexts("edge", "mine", "get")],
  ["mirror-config", []],
  // It lists the Leases of all namespaces, and holds none.
  ["precache-plan", []],
] as const)(
  "When a forwarder uses another Lease, of %s the permissions %j should be checked",
  async ([account, own]) => {
    const needed = neededAccess(await hubRbacManifests(), [account]);
    const texts = (lease: { namespace: string; name: string }) =>
      withLease(needed, lease).flatMap(({ accesses }) => accesses.map(accessText));
    const deployed = texts({ namespace: "hubrelay", name: "hubrelay-forwarder" });
    expect(deployed).toEqual(needed.flatMap(({ accesses }) => accesses.map(accessText)));
    const added = texts({ namespace: "edge", name: "mine" }).filter((one) => !deployed.includes(one));
    expect(added.sort()).toEqual(own);
  },
);

test("When an account is unknown, it should list the known ones", () => {
  expect(() => neededAccess(roles, ["other"])).toThrow(
    "no such account: other; known accounts: forwarder, hosted-clusters.",
  );
});

const token: AccessEnd = { what: "token", name: "quay.io", ends: "2026-03-10T02:00:00Z" };
const nothing = "Nothing with an end was found that nodes need.";

test.for<readonly [string, readonly AccessEnd[], readonly string[], string, string]>([
  ["nothing has an end", [], [], "ok", nothing],
  ["the first end is far away", [{ ...token, ends: "2026-04-01T00:00:00Z" }], [], "ok", "ends in 30 days"],
  ["a token ends soon", [token], [], "note", "The token for registry quay.io ends in 9 days"],
  ["two end soon", [token, { ...token, name: "m.lan" }], [], "note", "1 more ends within two weeks"],
  ["a token has ended", [{ ...token, ends: "2026-02-01T00:00:00Z" }], [], "problem", "ended"],
  ["no certificate was seen", [], ["m.lan"], "ok", `${nothing} Not seen: the certificate of m.lan.`],
  ["more were not seen", [], ["m.lan", "n.lan", "o.lan"], "ok", "certificate of m.lan and of 2 more."],
])("When %s, doctor should say so", ([, ends, unseen, state, says]) => {
  expect(registryEndsVerdict({ ends, unseen }, now)).toMatchObject({
    state,
    found: expect.stringContaining(says),
  });
});

const endsOf = (objects: Readonly<Record<string, KubernetesObject>>) =>
  registryEnds({ object: async ({ kind }) => objects[kind] }, {});

test("When registries cannot be contacted, or are more than it contacts, doctor should say so", async () => {
  const hosts = Array.from({ length: 21 }, (_, index) => `127.0.0.1:${index + 1}`);
  const auths = JSON.stringify({ auths: Object.fromEntries(hosts.map((host) => [host, {}])) });
  const data = { ".dockerconfigjson": Buffer.from(auths).toString("base64") };
  const Secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "pull-secret" }, data };
  expect((await endsOf({ Secret })).unseen).toHaveLength(21);
});

test.for([
  ["https://index.docker.io/v1/", "docker.io"],
  ["https://quay.io", "quay.io"],
  ["quay.io/team", "quay.io"],
  ["m.lan:5000", "m.lan:5000"],
] as const)("When a pull secret has the key %s, doctor should contact %s", ([key, host]) => {
  expect(hostOfKey(key)).toBe(host);
});

test("When a registry has an authority of its own, doctor should contact it without a login", async () => {
  const authorizations: unknown[] = [];
  const guard = ({ headers }: Readonly<{ headers: Readonly<Record<string, unknown>> }>) => {
    authorizations.push(headers.authorization);
    return undefined;
  };
  const { host } = await scriptedRegistry(new Map(), guard, { isTls: true });
  const data = { [host.replace(":", "..")]: certificate };
  const ends = await endsOf({
    Image: {
      ...{ apiVersion: kinds.Image.apiVersion, kind: "Image", metadata: { name: "cluster" } },
      spec: { additionalTrustedCA: { name: "registries" } },
    },
    ConfigMap: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "registries" }, data },
  });
  expect(registryEndsVerdict(ends, now)).toMatchObject({
    state: "ok",
    found: `The bundle of certificate authorities for registry ${host} ends in 34272 days, at 2120-01-01T00:00:00Z; nothing ends before.`,
  });
  expect(authorizations).toEqual([undefined]);
});
