import { describe, expect, test } from "vitest";
import { accessText } from "#shared/domain/kubernetes/access.ts";
import { parseRbacManifest } from "#shared/domain/kubernetes/roles.ts";
import { accessCheck, neededAccess, withLease } from "./access-checks.ts";
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
  test("When all is allowed, it should say how much was asked, each once", async () => {
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

  test("When something is refused, it should name it and whose kubeconfig would be right", async () => {
    const [forwarder] = neededAccess(manifests, ["forwarder"]);
    const { hub } = aHubThatAllows((access) => access !== "get g b");
    if (!forwarder) throw new Error("there is no forwarder");
    expect(await accessCheck(hub, forwarder, { asAccount: false, user: "jo" })).toMatchObject({
      state: "problem",
      found: "jo may not get g b.",
      remedy: expect.stringContaining("ServiceAccount hubrelay/hubrelay-forwarder"),
    });
  });

  test("When it is asked for the account itself, it should ask about that one", async () => {
    const [resync] = neededAccess(manifests, ["resync"]);
    const { hub, asked } = aHubThatAllows((access) => access !== "get g c");
    if (!resync) throw new Error("there is no resync");
    expect(await accessCheck(hub, resync, { asAccount: true, user: "jo" })).toMatchObject({
      found: "ServiceAccount hubrelay/hubrelay-resync may not get g c.",
      remedy: expect.stringContaining("kubectl apply -k infra/hub-rbac"),
    });
    expect(asked.map(({ account }) => account)).toEqual([{ namespace: "hubrelay", name: "hubrelay-resync" }]);
  });

  test("When the roles of a deployment are read, every account should need something", async () => {
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
  ])("When the forwarder takes the Lease $lease, that one should be asked about", async ({ lease, more }) => {
    const [before] = neededAccess(await hubRbacManifests(), ["forwarder"]);
    const [after] = withLease(neededAccess(await hubRbacManifests(), ["forwarder"]), lease);
    const texts = new Set(before?.accesses.map(accessText));
    const news = after?.accesses.filter((access) => !texts.has(accessText(access))) ?? [];
    expect(news.map(({ verb, group, resource }) => `${verb} ${group} ${resource}`)).toEqual(more);
    expect(news.every(({ namespace }) => namespace === lease.namespace)).toBe(true);
    expect(after?.accesses).toHaveLength(before?.accesses.length ?? 0);
  });

  test("When an account has no Lease, there should be none to ask about", async () => {
    const needed = neededAccess(await hubRbacManifests(), ["mirror-config"]);
    expect(withLease(needed, { namespace: "edge", name: "mine" })).toEqual(needed);
  });

  test("When an account is not known, it should say which there are", () => {
    expect(() => neededAccess(manifests, ["other"])).toThrow(
      "There is no account other; there is forwarder, resync.",
    );
  });
});
