import { fieldsOf } from "#shared/domain/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Fate } from "./fates.ts";
import { startFleet } from "./managed-fleet.ts";

/**
 * What `hubrelay dev` simulates of a hub in a folder, where no cluster and no calendar exists: on a ManagedCluster how
 * its Job ends, on a MaintenanceWindow that it opens soon.
 */
const annotation = "hubrelay.dev/simulate";
const requestOf = ({ metadata }: KubernetesObject) => metadata.annotations?.[annotation];

const examples =
  '"succeeds in 20s", "fails in 12s", "offline for 25s, succeeds in 20s", "succeeds in 20s, loses 3 images", "offline"';
const reportMs = 3_000;
const latencyMs = 500;
/** The first reconciles take seconds: a window that opened meanwhile would hold nothing back. */
const soonestMs = 15_000;

/** Reads texts such as those in `examples`; undefined for other text. */
export function readFate(cluster: string, text: string): Fate | undefined {
  if (text.trim() === "offline")
    return { cluster, latencyMs, jobMs: 0, reports: 1, end: "fails", offlineMs: "never" };
  const [, offline = "0", end, seconds, lost] =
    /^\s*(?:offline for (\d{1,5})s, )?(succeeds|fails) in (\d{1,5})s(?:, loses (\d{1,2}) images?)?\s*$/.exec(
      text,
    ) ?? [];
  if (end === undefined) return undefined;
  const jobMs = Number(seconds) * 1000;
  return {
    cluster,
    latencyMs,
    jobMs,
    reports: Math.max(1, Math.round(jobMs / reportMs)),
    end: end === "fails" ? "fails" : "succeeds",
    offlineMs: Number(offline) * 1000,
    ...(lost === undefined ? {} : { lostImages: Number(lost) }),
  };
}

/** Returns the window with one opening a day, at the next full minute that is not too near. */
function openingSoon(window: KubernetesObject, now: Date): KubernetesObject {
  const opening = new Date(Math.ceil((now.getTime() + soonestMs) / 60_000) * 60_000);
  const schedule = `${opening.getUTCMinutes()} ${opening.getUTCHours()} * * *`;
  return { ...window, spec: { ...fieldsOf(window.spec), schedule, timeZone: "UTC" } };
}

/** Gives the windows that request it a schedule by which they open soon. */
export async function scheduleWindows(hub: Hub, now: Date): Promise<void> {
  for (const window of await hub.list(kinds.MaintenanceWindow))
    if (requestOf(window) === "opens soon") await hub.update(openingSoon(window, now));
}

/** Simulates the ManagedClusters that request it, until the signal aborts. Resolves then. */
export async function simulateClusters(
  hub: Hub,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  const fateOf = async (cluster: string) => {
    const managed = await hub.get(kinds.ManagedCluster, cluster);
    const request = managed && requestOf(managed);
    if (request === undefined) return undefined;
    const fate = readFate(cluster, request);
    if (!fate)
      onError(new Error(`ManagedCluster/${cluster} ${annotation} "${request}": not one of ${examples}`));
    return fate;
  };
  await startFleet(hub, fateOf, signal, onError).ended;
}
