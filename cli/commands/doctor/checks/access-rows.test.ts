import { expect, test } from "vitest";
import { accessText } from "#shared/domain/kubernetes/access.ts";
import { hubRbacManifests, neededAccess, withLease } from "./access-rows.ts";
import { checkedHub, roles } from "./fixtures.ts";

test.for([
  [false, [undefined, undefined]],
  [true, ["hubrelay-forwarder", "hubrelay-hosted-clusters"]],
] as const)(
  "When permissions are reviewed as accounts (%s), the reviews should be of %j",
  async ([asAccounts, of]) => {
    const { reviews } = await checkedHub({ asAccounts });
    const texts = reviews.map(({ access, account }) => `${access} ${account?.name}`);
    expect(texts).toEqual([`get g a ${of[0]}`, `get g b ${of[0]}`, `get g b ${of[1]}`]);
  },
);

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
