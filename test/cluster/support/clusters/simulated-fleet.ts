import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Fate } from "../../../../cli/simulation/fates.ts";
import { fleetObjects, simulatedUpgrade } from "../../../../cli/simulation/fleet-objects.ts";
import { createNamespace } from "../manifests/apply-manifests.ts";

const requestsAtOnce = 16;

/** Clusters that all succeed, whose Jobs take between half of the time and all of it. */
export function plainFates(clusters: number, { jobMs }: Readonly<{ jobMs: number }>): readonly Fate[] {
  return Array.from({ length: clusters }, (_, index) => {
    const cluster = `sno${String(index + 1).padStart(String(clusters).length, "0")}`;
    return {
      cluster,
      latencyMs: 100 + ((index * 37) % 900),
      jobMs: jobMs / 2 + ((index * 61) % (jobMs / 2)),
      reports: 2,
      end: "succeeds",
      offlineMs: 0,
    };
  });
}

async function create(hub: Hub, { status, ...object }: KubernetesObject): Promise<void> {
  const stored = await hub.create(object);
  if (status === undefined) return;
  const lastTransitionTime = "2026-03-01T02:00:00Z";
  const { conditions = [], ...rest } = Object(status);
  const timed = conditions.map((condition: object) => ({ ...condition, lastTransitionTime }));
  await hub.updateStatus({ ...stored, status: { ...rest, conditions: timed } });
}

/**
 * Creates the clusters of a simulated fleet on a hub, each with its namespace. Returns the ClusterGroupUpgrade that
 * pre-caches on all of them, which is not created yet.
 */
export async function makeFleet(
  hub: Hub,
  api: Connection,
  fates: readonly Fate[],
  options: Readonly<{ maxConcurrency: number; timeoutMinutes: number }>,
): Promise<KubernetesObject> {
  const objects = fleetObjects(fates, options);
  const upgrade = objects.find(({ kind }) => kind === kinds.ClusterGroupUpgrade.kind);
  if (!upgrade) throw new Error("a fleet has its upgrade");
  const waiting = objects.filter((object) => object !== upgrade).values();
  const lane = async (): Promise<void> => {
    for (const object of waiting) {
      if (object.kind === kinds.ManagedCluster.kind) await createNamespace(api, object.metadata.name);
      await create(hub, object);
    }
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, lane));
  return upgrade;
}

/** Returns the upgrade as soon as all of its clusters have ended. */
export async function untilFleetEnded(
  hub: Hub,
  clusters: number,
  signal: AbortSignal,
): Promise<KubernetesObject> {
  let last: unknown;
  for await (const change of hub.watch(kinds.ClusterGroupUpgrade, signal)) {
    if (change.verb === "synced" || change.object.metadata.name !== simulatedUpgrade.name) continue;
    const states: Readonly<Record<string, string>> = Object(change.object.status).precaching?.status ?? {};
    last = states;
    const ended = Object.values(states).filter(isFinalState);
    if (ended.length === clusters) return change.object;
  }
  throw new Error(`not every cluster has ended: ${JSON.stringify(last)}`);
}
