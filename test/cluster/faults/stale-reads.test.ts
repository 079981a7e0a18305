import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { catalogNamespace } from "#shared/domain/hosted-clusters/olm-catalogs/catalog-objects.ts";
import {
  displayName,
  type KubernetesObject,
  kinds,
  referenceTo,
  withAnnotation,
} from "#shared/domain/kubernetes/object.ts";
import { runOf } from "#shared/domain/precache-model/work-identity.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { windowAnnotation } from "#shared/domain/windows/gate.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { simulatedUpgrade } from "../../../cli/simulation/fleet-objects.ts";
import { report } from "../../../cli/simulation/managed-fleet.ts";
import { ended, type JobReport, running } from "../../../cli/simulation/reported-status.ts";
import { secret } from "../../support/hosted-clusters/hosted-cluster-hub.ts";
import { validHostedClusterSpec } from "../../support/hosted-clusters/hosted-cluster-spec.ts";
import { asNew } from "../../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../../support/hub/objects.ts";
import { lastingKinds, objectsOn } from "../../support/kills/hub-content.ts";
import { precachingPorts } from "../../support/precache/precaching-ports.ts";
import { heldImage, heldRegistry } from "../../support/servers/held-registry.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";
import type { TestCluster } from "../support/clusters/cluster.ts";
import { aGuestCluster } from "../support/clusters/guest-cluster.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import { makeFleet, plainFates } from "../support/clusters/simulated-fleet.ts";
import { tick } from "../support/clusters/ticks.ts";
import { createNamespace } from "../support/manifests/apply-manifests.ts";
import { createClusterVersion } from "../support/manifests/cluster-version.ts";
import {
  capabilities,
  controlPlaneNamespace,
  controlPlaneOperator,
  controlPlaneSettings,
  hostedControlPlane,
  object,
} from "../support/manifests/control-plane.ts";
import { installCrds } from "../support/manifests/install-crds.ts";
import { looseCrd } from "../support/manifests/loose-crd.ts";
import { readAuditLog } from "../support/observe/audit-log.ts";
import { revisionOf } from "../support/observe/revision.ts";
import { type OlderApi, startOlderApi } from "../support/servers/older-api.ts";

let server: TestHub;
let guestServer: TestCluster;
let person: KubernetesHub;
let guest: KubernetesHub;
beforeAll(async () => {
  [server, guestServer] = await Promise.all([startHub(), aGuestCluster()]);
  person = kubernetesHub(server.admin.kubeConfig);
  guest = kubernetesHub(guestServer.admin.kubeConfig);
  await installCrds(server.api, [looseCrd(kinds.ImageStream)]);
  for (const name of ["clusters", controlPlaneNamespace]) await createNamespace(server.api, name);
  await createNamespace(guestServer.api, catalogNamespace);
  await createClusterVersion(guest);
}, 240_000);
afterAll(async () => {
  for (const hub of [person, guest]) hub?.close();
  await Promise.all([server?.stop(), guestServer?.stop()]);
});

type Versions = ReadonlyMap<string, string>;

/** The version of every lasting object of the hub and of the guest. */
async function versions(): Promise<Versions> {
  const found = new Map<string, string>();
  for (const [where, hub] of Object.entries({ hub: person, guest }))
    for (const one of await objectsOn(hub, lastingKinds))
      found.set(
        `${where}: ${displayName(referenceTo(one))}`,
        `${one.metadata.uid} ${one.metadata.resourceVersion}`,
      );
  return found;
}

async function setMirrors(mirror: string): Promise<void> {
  const wanted = aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: [mirror] }]);
  const present = await person.get(kinds.ImageDigestMirrorSet, "acme");
  await (present ? person.update({ ...present, spec: wanted.spec }) : person.create(asNew(wanted)));
}

async function reportAll(jobReport: JobReport): Promise<void> {
  for (const work of await person.list(kinds.ManifestWork)) {
    const run = runOf(work);
    if (run) await report(person, work, run, jobReport);
  }
}

async function remove(found: KubernetesObject | undefined): Promise<void> {
  if (found) await person.delete(referenceTo(found));
}

const mirrorRegistry = heldRegistry();
/** The external ports of processes that read this state of the guest. */
const externalOf = (of: Hub): ExternalPorts => ({
  ...precachingPorts,
  freshRegistry: mirrorRegistry.registry,
  registry: { ...precachingPorts.registry, digest: async () => `sha256:${"4".repeat(64)}` },
  guests: { open: async () => of, opened: () => of },
});

/** Mirrors what the simulated upgrade pre-caches. */
async function mirrorImages(): Promise<void> {
  const config = await person.get(kinds.PreCachingConfig, simulatedUpgrade.name, simulatedUpgrade.namespace);
  for (const image of Object(config?.spec).additionalImages) {
    const [repository, digest] = image.split("@");
    mirrorRegistry.images.set(`${repository}:v1`, { ...heldImage({}), digest });
  }
}

async function changeHostedCluster(
  change: (hostedCluster: KubernetesObject) => KubernetesObject,
): Promise<void> {
  const present = await person.get(kinds.HostedCluster, "shop", "clusters");
  if (!present) throw new Error("the hosted cluster of this test is gone");
  await person.update(change(present));
}

async function setSources(mirror: string): Promise<void> {
  const imageContentSources = [{ source: "quay.io/acme", mirrors: [mirror] }];
  await changeHostedCluster((one) => ({ ...one, spec: { ...Object(one.spec), imageContentSources } }));
}

const minuteMs = 60_000;
const started = Date.now();
/** The clusters' window opens when this test starts; what precedes it is handled an hour and more before. */
const opening = new Date(started - 15 * minuteMs);
const schedule = `${opening.getUTCMinutes()} ${opening.getUTCHours()} * * *`;
const window = windowObject({ schedule, timeZone: "UTC", duration: "4h" });

const fleet = plainFates(2, { jobMs: 0 });
let upgrade: KubernetesObject;
type Act = Readonly<{ perform(): Promise<unknown>; minutesBefore?: number; works?: number }>;

/** What people and agents do on the hub, one after the other, and the ManifestWorks that there are then. */
const acts: Readonly<Record<string, Act>> = {
  "pools, a release and mirrors": {
    minutesBefore: 90,
    async perform() {
      await createClusterVersion(person);
      for (const one of [anImageConfig(), aPool("worker")]) await person.create(asNew(one));
      await setMirrors("m1.example.com");
    },
  },
  "other mirrors": { minutesBefore: 85, perform: () => setMirrors("m2.example.com") },
  "a window and clusters": {
    minutesBefore: 80,
    async perform() {
      await person.create({ ...window, metadata: { namespace: "default", name: "nightly" } });
      const options = { maxConcurrency: 2, timeoutMinutes: 240 };
      upgrade = await makeFleet(person, server.api, fleet, options);
    },
  },
  "an upgrade whose images no mirror has": {
    minutesBefore: 70,
    works: 0,
    perform: () =>
      person.create(
        withAnnotation(
          withAnnotation(upgrade, "hubrelay.dev/require-ready", "true"),
          windowAnnotation,
          "nightly",
        ),
      ),
  },
  "mirrored images, before the window": { minutesBefore: 60, works: 0, perform: mirrorImages },
  "an open window": { works: 2, perform: async () => undefined },
  "Jobs that run": { works: 2, perform: () => reportAll(running(0.5)) },
  "Jobs that end": { works: 0, perform: () => reportAll(ended("succeeds")) },
  "an upgrade that is removed": {
    works: 0,
    perform: async () =>
      remove(await person.get(kinds.ClusterGroupUpgrade, simulatedUpgrade.name, simulatedUpgrade.namespace)),
  },
  "a hosted cluster": {
    async perform() {
      const kubeconfig = "as HyperShift publishes it";
      const spec = { ...validHostedClusterSpec, capabilities };
      for (const one of [
        secret(controlPlaneNamespace, "admin-kubeconfig", { kubeconfig }),
        secret(controlPlaneNamespace, "pull-secret", { ".dockerconfigjson": "{}" }),
        controlPlaneOperator,
        ...controlPlaneSettings,
        hostedControlPlane,
        object(
          kinds.HostedCluster,
          "shop",
          { spec },
          { namespace: "clusters", annotations: { "hubrelay.dev/take-over": "true" } },
        ),
      ])
        await person.create(one);
      await setSources("m1.example.com");
    },
  },
  "other mirrors of the hosted cluster": { perform: () => setSources("m2.example.com") },
  "a guest that its administrator changes": {
    async perform() {
      const mirrorSet = await guest.get(kinds.ImageDigestMirrorSet, "cluster");
      const [catalog] = await guest.list(kinds.CatalogSource, { namespace: catalogNamespace });
      if (!mirrorSet || !catalog) throw new Error("the function has written neither mirrors nor catalogs");
      await guest.update({ ...mirrorSet, spec: aDigestMirrorSet("x", []).spec });
      await guest.delete(referenceTo(catalog));
    },
  },
  "a hosted cluster with catalogs by digest and without mirrors": {
    perform: () =>
      changeHostedCluster(({ spec, ...one }) => {
        const { imageContentSources: _, ...others } = Object(spec);
        return knownCatalogs.reduce<KubernetesObject>(
          (changed, { imageAnnotation, name }) =>
            withAnnotation(changed, imageAnnotation, `m1.example.com/${name}@sha256:${"4".repeat(64)}`),
          { ...one, spec: others },
        );
      }),
  },
  "mirrors without a set": {
    perform: async () => remove(await person.get(kinds.ImageDigestMirrorSet, "acme")),
  },
};

type Older = Readonly<{ api: OlderApi; to: TestCluster }>;

/** Processes that have just started reconcile everything; some of these servers serve an older state. */
async function tickWith(hubApi: OlderApi, guestApi: OlderApi, now: Date): Promise<void> {
  const lagging = async ({ api, to }: Older) =>
    kubernetesHub((await to.userAccess("lagging", { token: to.admin.token }, api.port)).kubeConfig);
  const hub = await lagging({ api: hubApi, to: server });
  const laggingGuest = await lagging({ api: guestApi, to: guestServer });
  await tick(hub, now, externalOf(laggingGuest));
  for (const api of [hubApi, guestApi]) api.catchUp();
  for (const one of [hub, laggingGuest]) one.close();
}

const present = (now: Date) => tick(person, now, externalOf(guest));

const part = (permille: number, first: number, latest: number) =>
  first + Math.floor((permille / 1_000) * (latest - first));

test("When restarted processes read an older hub or guest, each of their writes should be refused or equal what is there", async () => {
  await using hubApi = await startOlderApi(server);
  await using guestApi = await startOlderApi(guestServer);
  const names = Object.keys(acts);
  const ages = drawn(
    "stale reads",
    { ci: 2 * names.length, soak: 200 },
    fc.record({
      act: fc.constantFrom(...names),
      older: fc.constantFrom("hub", "guest", "both"),
      permille: fc.nat(1_000),
    }),
  );
  const first = { hub: await revisionOf(server), guest: await revisionOf(guestServer) };
  /** Everything that there ever was. */
  const known = new Set<string>();
  for (const [act, { perform, minutesBefore = 0, works }] of Object.entries(acts)) {
    await perform();
    const now = new Date(minutesBefore > 0 ? started - minutesBefore * minuteMs : Date.now());
    for (let ticks = 0; ticks < 3; ticks++) await present(now);
    const settled = await versions();
    if (works !== undefined) expect(await person.list(kinds.ManifestWork), act).toHaveLength(works);
    const latest = { hub: await revisionOf(server), guest: await revisionOf(guestServer) };
    for (const { permille, older } of ages.filter((age) => age.act === act)) {
      countRun("processes that read an older hub");
      if (older !== "guest") hubApi.rewind(part(permille, first.hub, latest.hub));
      if (older !== "hub") guestApi.rewind(part(permille, first.guest, latest.guest));
      await tickWith(hubApi, guestApi, now);
      const what = `${act}, read ${older} at ${permille} permille`;
      const left = await versions();
      // No version guards a creation: what was deleted since may be there again, until it is reconciled.
      const again = [...left.keys()].filter((name) => !settled.has(name) && known.has(name));
      expect(new Map([...left].filter(([name]) => !again.includes(name))), what).toEqual(settled);
      if (again.length > 0) await present(now);
      expect(await versions(), what).toEqual(settled);
    }
    for (const name of settled.keys()) known.add(name);
  }
  expect(hubApi.olderReads()).toBeGreaterThan(10 * ages.length);
  expect(guestApi.olderReads()).toBeGreaterThan(ages.length);
  const audited = await readAuditLog(server.auditLog);
  expect(audited.filter(({ status }) => status === 409).length).toBeGreaterThan(10);
  const starts = audited.filter(
    ({ verb, resource, status }) => verb === "create" && resource === "manifestworks" && status === 201,
  );
  expect(starts.map(({ namespace }) => namespace).toSorted()).toEqual(fleet.map(({ cluster }) => cluster));
}, 3_600_000);

test.for(["hub", "guest"] as const)(
  "When the server of the %s does not compare versions, the same should leave the older result behind",
  async (unguarded) => {
    await using hubApi = await startOlderApi(server, { isUnguarded: unguarded === "hub" });
    await using guestApi = await startOlderApi(guestServer, { isUnguarded: unguarded === "guest" });
    let older = { hub: 0, guest: 0 };
    for (const mirror of ["m3.example.com", "m4.example.com", "m5.example.com"]) {
      await setMirrors(mirror);
      await setSources(mirror);
      // Nothing has followed from the second one yet.
      if (mirror === "m4.example.com")
        older = { hub: await revisionOf(server), guest: await revisionOf(guestServer) };
      await present(new Date());
    }
    const settled = await versions();
    hubApi.rewind(older.hub);
    guestApi.rewind(older.guest);
    await tickWith(hubApi, guestApi, new Date());
    expect(await versions()).not.toEqual(settled);
  },
);
