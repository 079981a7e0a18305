import fc from "fast-check";
import { expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { aControlPlaneOperator, secret } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { aHostedFleet, type HostedFleet } from "../../test/support/hosted-clusters/hosted-fleet-system.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";

const tickSeconds = 300;
/** All ticks until each hosted cluster has had its slow one. */
const ticksOfSlowTick = 33;
const namespace = "clusters-of-0";
const controlPlane = `${namespace}-tenant-0`;

/** Passes so many ticks; returns what each has cost. */
async function ticks(fleet: HostedFleet, count: number) {
  const costs = [];
  for (let tick = 0; tick < count; tick++) {
    fleet.system.pass(tickSeconds);
    costs.push(await fleet.tick());
  }
  return costs;
}

test.for([
  { clusters: 60, what: "with all capabilities", disabled: [] },
  {
    clusters: 60,
    what: "without their nodes' tuning and registry",
    disabled: ["ImageRegistry", "NodeTuning"],
  },
])(
  "When nothing changes for $clusters hosted clusters $what, a tick should cost less than a request for each",
  async ({ clusters, disabled }) => {
    const fleet = await aHostedFleet(clusters, disabled);
    const costs = await ticks(fleet, ticksOfSlowTick);
    const requests = costs.reduce((sum, cost) => sum + cost.requests, 0);
    expect(requests / ticksOfSlowTick / clusters).toBeLessThan(1);
    const reconciled = costs.reduce((sum, cost) => sum + cost.reconciled, 0);
    expect(reconciled, "each once in the interval of slow ticks").toBe(clusters);
  },
);

/** Replaces an object of the hub, as another program does. */
function edit(
  { system: { hub } }: HostedFleet,
  kind: (typeof kinds)[keyof typeof kinds],
  [name, place]: readonly [name: string, namespace: string],
  change: (object: KubernetesObject) => Partial<KubernetesObject>,
): void {
  const object = hub.find(kind, name, place);
  if (object) hub.put({ ...object, ...change(object) });
}

const annotated =
  (name: string, value: string) =>
  ({ metadata }: KubernetesObject) => ({
    metadata: { ...metadata, annotations: { ...metadata.annotations, [name]: value } },
  });
const withSpec =
  (fields: Readonly<Record<string, unknown>>) =>
  ({ spec }: KubernetesObject) => ({ spec: { ...Object(spec), ...fields } });
const tenant = ["tenant-0", namespace] as const;
const mirrors = (name: string, mirror: string) =>
  aDigestMirrorSet(name, [{ source: "quay.io/openshift-release-dev/ocp-release", mirrors: [mirror] }]);

/** Changes that a list of the hub shows: what they mean is known after the next tick, whichever events were lost. */
const listed: Readonly<Record<string, (fleet: HostedFleet) => unknown>> = {
  "a mirror is added": ({ system }) => system.hub.put(mirrors("more", "m2.corp.example/ocp/release")),
  "a mirror is removed": async ({ system: { hub } }) => {
    const set = hub.find(kinds.ImageDigestMirrorSet, "ocp");
    if (set) await hub.delete({ ...set, name: "ocp" });
  },
  "catalogs are delegated": (fleet) =>
    edit(fleet, kinds.HostedCluster, tenant, annotated("hubrelay.dev/olm-catalogs", "from-mirrors")),
  "a field of the HostedCluster changes": (fleet) =>
    edit(
      fleet,
      kinds.HostedCluster,
      tenant,
      withSpec({ imageContentSources: [{ source: "a.example/b", mirrors: ["c.example/d"] }] }),
    ),
  "the HostedCluster is paused for a while": (fleet) =>
    edit(fleet, kinds.HostedCluster, tenant, withSpec({ pausedUntil: "2026-03-01T02:20:00Z" })),
  "a capability is disabled": (fleet) =>
    edit(fleet, kinds.HostedCluster, tenant, withSpec({ capabilities: { disabled: ["NodeTuning"] } })),
  "an upgrade completes": (fleet) =>
    edit(fleet, kinds.HostedCluster, tenant, () => ({
      status: { version: { history: [{ state: "Completed", version: "4.20.4" }] } },
    })),
  "the HostedControlPlane changes": (fleet) =>
    edit(
      fleet,
      kinds.HostedControlPlane,
      ["tenant-0", controlPlane],
      withSpec({ olmCatalogPlacement: "guest" }),
    ),
  "overrides change": ({ system }) => {
    const operator = aControlPlaneOperator("tenant-0", "=");
    system.hub.put({ ...operator, metadata: { ...operator.metadata, namespace: controlPlane } });
  },
  "HyperShift's operator is deployed": ({ system }) => {
    const operator = aControlPlaneOperator("tenant-0", undefined, "operator");
    system.hub.put({ ...operator, metadata: { ...operator.metadata, namespace: "hypershift" } });
  },
  "HyperShift releases it": (fleet) =>
    edit(fleet, kinds.HostedCluster, tenant, ({ metadata: { finalizers: _, ...metadata } }) => ({
      metadata,
    })),
  "the hub loses an Event": async ({ system: { hub } }) => {
    for (const event of hub.all(kinds.Event).filter(({ reason }) => reason === "RegistryMirrors"))
      await hub.delete({ ...event, name: event.metadata.name, namespace });
  },
};
/** Changes that no list shows: what they mean is known after the next slow tick. */
const unlisted: Readonly<Record<string, (fleet: HostedFleet) => unknown>> = {
  "the guest drifts": ({ guest }) =>
    guest.put({ ...mirrors("cluster", "drift.example/x/y"), metadata: { name: "cluster" } }),
  "the guest's version is another": ({ guest }) =>
    guest.put({
      apiVersion: "config.openshift.io/v1",
      kind: "ClusterVersion",
      metadata: { name: "version" },
      spec: {},
    }),
  "the hub's Image is another": ({ system: { hub } }) =>
    hub.put({
      apiVersion: "config.openshift.io/v1",
      kind: "Image",
      metadata: { name: "cluster" },
      spec: { registrySources: { insecureRegistries: ["m.corp.example"] } },
    }),
  "the pull secret is another": ({ system: { hub } }) =>
    hub.put(secret(controlPlane, "pull-secret", { ".dockerconfigjson": '{"auths":{"m.corp.example":{}}}' })),
  "the kubeconfig is gone": async ({ system: { hub } }) => {
    const name = "admin-kubeconfig";
    const secret = hub.find(kinds.Secret, name, controlPlane);
    if (secret) await hub.delete({ ...secret, name, namespace: controlPlane });
  },
};

const changesOf = (table: typeof listed) =>
  fc.array(fc.constantFrom(...Object.entries(table)), { minLength: 1, maxLength: 3 });

/** Makes these changes, a tick apart; no event about them arrives. */
async function change(
  fleet: HostedFleet,
  changes: readonly (readonly [string, (fleet: HostedFleet) => unknown])[],
) {
  for (const [index, [, make]] of changes.entries()) {
    if (index > 0) await ticks(fleet, 1);
    await make(fleet);
  }
}

test("When anything that lists show changes, one tick should leave nothing for a reconcile of every cluster", async () => {
  await fc.assert(
    fc.asyncProperty(changesOf(listed), async (changes) => {
      const fleet = await aHostedFleet(2);
      await change(fleet, changes);
      await ticks(fleet, 1);
      expect((await fleet.tick(true)).writes).toBe(0);
    }),
    { numRuns: 12 },
  );
});

test("When anything else changes, a slow tick should leave nothing for a reconcile of every cluster", async () => {
  await fc.assert(
    fc.asyncProperty(changesOf({ ...listed, ...unlisted }), async (changes) => {
      const fleet = await aHostedFleet(2);
      await change(fleet, changes);
      await ticks(fleet, ticksOfSlowTick);
      expect((await fleet.tick(true)).writes).toBe(0);
    }),
    { numRuns: 12 },
  );
});
