import { describe, expect, test } from "vitest";
import type { HubInspection, ServiceAccount } from "#shared/adapters/kubernetes-hub/inspection.ts";
import { accessText } from "#shared/domain/kubernetes/access.ts";
import { parseRbacManifest } from "#shared/domain/kubernetes/roles.ts";
import { accessCheck, neededAccess, withLease } from "./access-checks.ts";
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

/** A hub that refuses these accesses and remembers on whose behalf it was asked. */
function aHub(refused: readonly string[]) {
  const asked: (ServiceAccount | undefined)[] = [];
  const nobody = async () => {
    throw new Error("not asked here");
  };
  const hub: HubInspection = {
    server: "https://hub.example.com",
    version: nobody,
    user: nobody,
    resources: nobody,
    versions: nobody,
    object: nobody,
    schema: nobody,
    isAllowed: async (access, account) => {
      asked.push(account);
      return !refused.includes(accessText(access));
    },
    close: () => undefined,
  };
  return { hub, asked };
}

describe("the access of an account", () => {
  test("When all is allowed, it should say how much was asked, each once", async () => {
    const [forwarder] = neededAccess(manifests);
    const { hub, asked } = aHub([]);
    if (!forwarder) throw new Error("there is no forwarder");
    expect(await accessCheck(hub, forwarder, { asAccount: false, user: "jo" })).toEqual({
      name: "access of forwarder",
      state: "ok",
      found: "jo has all 2 permissions.",
    });
    expect(asked).toEqual([undefined, undefined]);
  });

  test("When something is refused, it should name it and whose kubeconfig would be right", async () => {
    const [forwarder] = neededAccess(manifests, ["forwarder"]);
    const { hub } = aHub(["get g b"]);
    if (!forwarder) throw new Error("there is no forwarder");
    expect(await accessCheck(hub, forwarder, { asAccount: false, user: "jo" })).toMatchObject({
      state: "problem",
      found: "jo may not get g b.",
      remedy: expect.stringContaining("ServiceAccount hubrelay/hubrelay-forwarder"),
    });
  });

  test("When it is asked for the account itself, it should ask about that one", async () => {
    const [resync] = neededAccess(manifests, ["resync"]);
    const { hub, asked } = aHub(["get g c"]);
    if (!resync) throw new Error("there is no resync");
    expect(await accessCheck(hub, resync, { asAccount: true, user: "jo" })).toMatchObject({
      found: "ServiceAccount hubrelay/hubrelay-resync may not get g c.",
      remedy: expect.stringContaining("kubectl apply -k infra/hub-rbac"),
    });
    expect(asked).toEqual([{ namespace: "hubrelay", name: "hubrelay-resync" }]);
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
