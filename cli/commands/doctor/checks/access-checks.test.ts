import { describe, expect, test } from "vitest";
import { accessText } from "#shared/domain/kubernetes/access.ts";
import { parseRbacManifest } from "#shared/domain/kubernetes/roles.ts";
import { accessCheck, authoritiesCheck, neededAccess, reviewedOnce, withLease } from "./access-checks.ts";
import { aHubThatAllows } from "./fixtures.ts";
import { hubRbacManifests } from "./hub-roles.ts";

const role = (name: string, ...resources: readonly string[]) => [
  { kind: "ServiceAccount", metadata: { name, namespace: "hubrelay" } },
  { kind: "ClusterRole", metadata: { name }, rules: [{ apiGroups: ["g"], resources, verbs: ["get"] }] },
  {
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "hubrelay" }],
  },
];
const manifests = [...role("hubrelay-forwarder", "a", "b", "b"), ...role("hubrelay-resync", "c")].map(
  parseRbacManifest,
);

describe("the access of an account", () => {
  test("When all is allowed, it should report the number of distinct permissions", async () => {
    const [forwarder] = neededAccess(manifests);
    const { hub, asked } = aHubThatAllows(() => true);
    if (!forwarder) throw new Error("there is no forwarder");
    expect(await accessCheck(hub, forwarder, { asAccount: false, user: "jo" })).toEqual({
      name: "access of forwarder",
      state: "ok",
      found: "jo has all 2 permissions.",
    });
    expect(asked.map(({ account }) => account)).toEqual([undefined, undefined]);
  });

  test("When something is refused, it should name it and the ServiceAccount whose kubeconfig to use", async () => {
    const [forwarder] = neededAccess(manifests, ["forwarder"]);
    const { hub } = aHubThatAllows((access) => access !== "get g b");
    if (!forwarder) throw new Error("there is no forwarder");
    expect(await accessCheck(hub, forwarder, { asAccount: false, user: "jo" })).toMatchObject({
      state: "problem",
      found: "jo may not get g b.",
      remedy: expect.stringContaining("ServiceAccount hubrelay/hubrelay-forwarder"),
    });
  });

  test("When accounts need the same permission, it should be reviewed once for the caller, and for each account", async () => {
    const shared = [...role("hubrelay-forwarder", "a", "b"), ...role("hubrelay-resync", "b")];
    const needed = neededAccess(shared.map(parseRbacManifest));
    const reviewsOf = async (asAccount: boolean) => {
      const { hub, asked } = aHubThatAllows((access) => access !== "get g b");
      const reviewed = reviewedOnce(hub);
      const checks = [];
      for (const one of needed) checks.push(await accessCheck(reviewed, one, { asAccount, user: "jo" }));
      expect(checks.map(({ state }) => state)).toEqual(["problem", "problem"]);
      return asked.map(({ access, account }) => `${access} ${account?.name}`);
    };
    expect(await reviewsOf(false)).toEqual(["get g a undefined", "get g b undefined"]);
    expect(await reviewsOf(true)).toEqual([
      "get g a hubrelay-forwarder",
      "get g b hubrelay-forwarder",
      "get g b hubrelay-resync",
    ]);
  });

  test("When the account itself is checked, it should send reviews for that account", async () => {
    const [resync] = neededAccess(manifests, ["resync"]);
    const { hub, asked } = aHubThatAllows((access) => access !== "get g c");
    if (!resync) throw new Error("there is no resync");
    expect(await accessCheck(hub, resync, { asAccount: true, user: "jo" })).toMatchObject({
      found: "ServiceAccount hubrelay/hubrelay-resync may not get g c.",
      remedy: expect.stringContaining("kubectl apply -k infra/hub-rbac"),
    });
    expect(asked.map(({ account }) => account)).toEqual([{ namespace: "hubrelay", name: "hubrelay-resync" }]);
  });

  test("When the roles of a deployment are read, every account should need a permission", async () => {
    const needed = neededAccess(await hubRbacManifests());
    expect(needed.map(({ name }) => name)).toEqual(expect.arrayContaining(["forwarder", "mirror-config"]));
    expect(needed.filter(({ accesses }) => accesses.length === 0)).toEqual([]);
  });

  test.for([
    { lease: { namespace: "hubrelay", name: "hubrelay-forwarder" }, more: [] },
    {
      lease: { namespace: "edge", name: "mine" },
      more: ["create", "get", "update"].map((verb) => `${verb} coordination.k8s.io leases`),
    },
  ])("When the forwarder uses the Lease $lease, it should check that one", async ({ lease, more }) => {
    const [before] = neededAccess(await hubRbacManifests(), ["forwarder"]);
    const [after] = withLease(neededAccess(await hubRbacManifests(), ["forwarder"]), lease);
    const texts = new Set(before?.accesses.map(accessText));
    const added = after?.accesses.filter((access) => !texts.has(accessText(access))) ?? [];
    expect(added.map(({ verb, group, resource }) => `${verb} ${group} ${resource}`)).toEqual(more);
    expect(added.every(({ namespace }) => namespace === lease.namespace)).toBe(true);
    expect(after?.accesses).toHaveLength(before?.accesses.length ?? 0);
  });

  test("When the tick reads the forwarder's Lease, it should check that it may read that one, and no more", async () => {
    const [tick] = withLease(neededAccess(await hubRbacManifests(), ["resync"]), {
      namespace: "edge",
      name: "mine",
    });
    expect(tick?.accesses.filter(({ resource }) => resource === "leases")).toEqual([
      { verb: "get", group: "coordination.k8s.io", resource: "leases", namespace: "edge", name: "mine" },
    ]);
  });

  // precache-plan lists the Leases of all namespaces, and holds none.
  test.for(["mirror-config", "precache-plan"])("When %s has no Lease, it should check none", async (name) => {
    const needed = neededAccess(await hubRbacManifests(), [name]);
    expect(withLease(needed, { namespace: "edge", name: "mine" })).toEqual(needed);
  });

  test("When an account is unknown, it should list the known ones", () => {
    expect(() => neededAccess(manifests, ["other"])).toThrow(
      "no such account: other; known accounts: forwarder, resync.",
    );
  });
});

describe("the access to registry authorities", () => {
  const hostedClusters = { name: "hosted-clusters", namespace: "hubrelay", accesses: [] };

  test("When the Image configuration names no authorities, it should send no review", async () => {
    const { hub, asked } = aHubThatAllows(() => false);
    expect(await authoritiesCheck(hub, undefined, hostedClusters, true)).toMatchObject({ state: "ok" });
    expect(asked).toEqual([]);
  });

  test.for([
    { asAccount: false, account: undefined },
    { asAccount: true, account: { namespace: "hubrelay", name: "hubrelay-hosted-clusters" } },
  ])(
    "When they may be read, with asAccount $asAccount it should review that account",
    async ({ asAccount, account }) => {
      const { hub, asked } = aHubThatAllows(() => true);
      expect(await authoritiesCheck(hub, "registries", hostedClusters, asAccount)).toMatchObject({
        state: "ok",
        found: "The ConfigMap openshift-config/registries may be read.",
      });
      expect(asked.map(({ account }) => account)).toEqual([account]);
      expect(asked[0]?.access).toContain("get core configmaps");
    },
  );

  test("When they may not be read, it should return a note with the commands that allow it", async () => {
    const { hub } = aHubThatAllows(() => false);
    expect(await authoritiesCheck(hub, "registries", hostedClusters, true)).toMatchObject({
      state: "note",
      found: expect.stringContaining("openshift-config/registries may not be read"),
      remedy: expect.stringMatching(/oc create role .*--resource-name registries && oc create rolebinding/),
    });
  });
});
