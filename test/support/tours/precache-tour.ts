import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheReady } from "#functions/precache-ready/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { reportFleet } from "#functions/resync/fleet-report.ts";
import { type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { cguLabels, runOf } from "#shared/domain/precache-model/work-identity.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { ended, withReport } from "../../../cli/simulation/reported-status.ts";
import { heldQueue } from "../messages/held-queue.ts";
import { quietPorts } from "../messages/quiet-ports.ts";
import { aPlannedUpgrade } from "../precache/precache-system.ts";

const name = "upgrade";
const key = `default/${name}`;

function follow(controller: Controller<"planning" | "freshRegistry">, hub: Hub, parts?: readonly string[]) {
  const { queue, open } = heldQueue();
  open();
  const ports = {
    ...quietPorts(hub),
    queueNamed: () => queue,
  };
  return reconcile(controller, key, ports, { parts });
}

/** Removes what an earlier tour has left. */
async function withoutEarlier(person: Hub): Promise<void> {
  for (const kind of [kinds.PreCachingConfig, kinds.ClusterGroupUpgrade]) {
    const left = await person.get(kind, name, "default");
    if (left) await person.delete(referenceTo(left));
  }
  const labels = cguLabels({ namespace: "default", name });
  for (const kind of [kinds.PreCachingReport, kinds.ManifestWork])
    for (const left of await person.list(kind, { labels })) await person.delete(referenceTo(left));
}

/** The planned upgrade of one cluster, with a limit per site and a PreCachingConfig. */
async function planned(person: Hub, cluster: string): Promise<KubernetesObject> {
  const annotations = {
    "hubrelay.dev/site-label": "site",
    "hubrelay.dev/max-per-site": "2",
    "hubrelay.dev/bandwidth": "100,oslo=20",
  };
  const { metadata, spec, status, ...type } = aPlannedUpgrade([cluster], { name, annotations });
  const { apiVersion, kind } = kinds.PreCachingConfig;
  await withoutEarlier(person);
  await person.create({ apiVersion, kind, metadata: { name, namespace: "default" }, spec: {} });
  const reference = { preCachingConfigRef: { name, namespace: "default" } };
  const created = await person.create({ ...type, metadata, spec: { ...Object(spec), ...reference } });
  return person.updateStatus({ ...created, status });
}

const present = async (person: Hub): Promise<KubernetesObject> => {
  const found = await person.get(kinds.ClusterGroupUpgrade, name, "default");
  if (!found) throw new Error("the upgrade is gone");
  return found;
};

/** The agent of the cluster reports the end of its Job. */
async function reportEnd(person: Hub, cluster: string, end: "succeeds" | "fails"): Promise<void> {
  for (const work of await person.list(kinds.ManifestWork, { namespace: cluster })) {
    const run = runOf(work);
    if (run) await person.updateStatus(withReport(work, run, ended(end)));
  }
}

/** Measures the fleet, which reads all that it ever reads while an upgrade is planned. */
export async function tourOfFleetReport(hub: Hub, person: Hub): Promise<void> {
  await planned(person, "team-a");
  await reportFleet({ hub, log: () => undefined, now: () => new Date() });
}

/** Makes precache-cluster send every request that it ever makes; `cluster` is a namespace that must exist. */
export async function tourOfPrecacheCluster(hub: Hub, person: Hub, cluster: string): Promise<void> {
  await planned(person, cluster);
  const next = async () => {
    await follow(precacheStatus, person);
    await follow(precacheCluster, hub, [cluster]);
  };
  await next();
  const window = await person.create(aClosedWindow());
  await next();
  await person.delete(anyVersionOf(window));
  await next();
  await reportEnd(person, cluster, "succeeds");
  await next();
}

/** The object, whatever its state. */
function anyVersionOf(object: KubernetesObject) {
  const { apiVersion, kind, metadata } = object;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  };
}

/** A window of a minute in a year, for every cluster. */
function aClosedWindow(): KubernetesObject {
  const { apiVersion, kind } = kinds.MaintenanceWindow;
  const allow = { maxCost: { worker: "reboot" } };
  const spec = { schedule: "0 0 29 2 *", timeZone: "UTC", duration: "1m", clusterSelector: {}, allow };
  return { apiVersion, kind, metadata: { namespace: "default", name: "shut" }, spec };
}

/** Makes maintenance-window send every request that it ever makes. */
export async function tourOfMaintenanceWindow(hub: Hub, person: Hub): Promise<void> {
  const window = await person.create(aClosedWindow());
  await follow(maintenanceWindow, hub);
  await person.delete(anyVersionOf(window));
}

/** Sets an annotation of the upgrade, or removes it. */
async function annotate(person: Hub, annotation: string, value?: string): Promise<KubernetesObject> {
  const { metadata, ...cgu } = await present(person);
  const { [annotation]: _before, ...others } = metadata.annotations ?? {};
  const annotations = value === undefined ? others : { ...others, [annotation]: value };
  return person.update({ ...cgu, metadata: { ...metadata, annotations } });
}

const requireReady = "hubrelay.dev/require-ready";

/** Makes precache-ready send every request that it ever makes; no registry responds. */
export async function tourOfPrecacheReady(hub: Hub, person: Hub, cluster: string): Promise<void> {
  await planned(person, cluster);
  const cgu = await annotate(person, requireReady, "true");
  await follow(precacheReady, hub);
  // Other content that cannot be checked either: report and Event are updated.
  const { precaching, ...status } = Object(cgu.status);
  const spec = { ...precaching.spec, additionalImages: ["quay.io/acme/app:v1"] };
  await person.updateStatus({ ...cgu, status: { ...status, precaching: { ...precaching, spec } } });
  await follow(precacheReady, hub);
  await annotate(person, requireReady);
  await follow(precacheReady, hub);
}

/** Makes precache-status send every request that it ever makes; `cluster` is a namespace that must exist. */
export async function tourOfPrecacheStatus(hub: Hub, person: Hub, cluster: string): Promise<void> {
  await planned(person, cluster);
  await follow(precacheStatus, hub);
  await follow(precacheCluster, person, [cluster]);
  await reportEnd(person, cluster, "fails");
  await follow(precacheStatus, hub, [cluster]);
  await annotate(person, requireReady, "true");
  await annotate(person, "hubrelay.dev/retry", cluster);
  await follow(precacheStatus, hub);
  await person.delete(referenceTo(await present(person)));
  await follow(precacheStatus, hub);
}
