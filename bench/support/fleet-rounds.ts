import { inspect } from "node:util";
import { fieldsOf, textOf } from "#shared/domain/kubernetes/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { lines, printError, safe } from "../../cli/io/safe-text.ts";
import type { FunctionQueues } from "../../cli/program/function-workers.ts";
import { among, fatesOf } from "../../cli/simulation/fates.ts";
import { fleetObjects } from "../../cli/simulation/fleet-objects.ts";
import { startFleetSystem } from "../../cli/simulation/fleet-system.ts";
import { startFleet } from "../../cli/simulation/managed-fleet.ts";

async function until(
  hub: Hub,
  kind: (typeof kinds)["ClusterGroupUpgrade" | "ManifestWork" | "PreCachingReport"],
  isReached: () => boolean,
): Promise<void> {
  const enough = new AbortController();
  for await (const _change of hub.watch(kind, enough.signal)) if (isReached()) return enough.abort();
}

/** Pre-caches the same fleet repeatedly. A round ends when the hub has no objects of its upgrade any more. */
export async function runRounds({
  clusters,
  rounds,
  messaging,
  onRound,
}: Readonly<{
  clusters: number;
  rounds: number;
  messaging: FunctionQueues;
  /** Called at the end of each round. */
  onRound(): void;
}>): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const fail = (error: unknown) => printError(safe`fleet: ${lines(inspect(error))}`);
  const fates = fatesOf({ clusters, seed: 1, maxJobMs: 2_000, offlineMs: 0 }).map((fate) => ({
    ...fate,
    offlineMs: 0,
  }));
  const system = cleanup.adopt(await startFleetSystem(messaging, fail), (running) => running.stop());
  const { hub } = system;
  const stop = new AbortController();
  cleanup.defer(() => stop.abort());
  startFleet(hub, among(fates), stop.signal, fail);
  const items = fleetObjects(fates, { maxConcurrency: clusters, timeoutMinutes: 60 });
  const [upgrade, ...others] = items.toReversed();
  if (!upgrade) throw new Error("a fleet has an upgrade");
  for (const object of others) hub.put(object);
  for (let round = 1; round <= rounds; round++) {
    const { namespace } = upgrade.metadata;
    const name = `${upgrade.metadata.name}-${round}`;
    await hub.create({ ...upgrade, metadata: { ...upgrade.metadata, name } });
    await until(hub, kinds.ClusterGroupUpgrade, () => {
      const { status } = hub.find(kinds.ClusterGroupUpgrade, name, namespace) ?? {};
      const states = Object.values(fieldsOf(fieldsOf(fieldsOf(status).precaching).status));
      return states.filter((state) => isFinalState(textOf(state))).length === clusters;
    });
    await hub.delete({ ...kinds.ClusterGroupUpgrade, name, ...(namespace ? { namespace } : {}) });
    await until(hub, kinds.ManifestWork, () => hub.all(kinds.ManifestWork).length === 0);
    await until(hub, kinds.PreCachingReport, () => hub.all(kinds.PreCachingReport).length === 0);
    onRound();
  }
}
