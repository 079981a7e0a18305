import { setTimeout as sleep } from "node:timers/promises";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Fate } from "./fates.ts";
import { startFleet } from "./managed-fleet.ts";

const annotation = "hubrelay.dev/simulate";
const requestOf = ({ metadata }: KubernetesObject) => metadata.annotations?.[annotation];

const examples = '"succeeds in 20s", "fails in 12s", "offline for 25s, succeeds in 20s", "offline"';
const reportMs = 3_000;
const latencyMs = 500;
/** Minimum time until a window opens. It is longer than the first reconciles, during which windows must be closed. */
const soonestMs = 15_000;

/** Parses `hubrelay.dev/simulate` of a ManagedCluster. Returns undefined for an invalid text. */
export function readFate(cluster: string, text: string): Fate | undefined {
  if (text.trim() === "offline")
    return { cluster, latencyMs, jobMs: 0, reports: 1, end: "fails", offlineMs: "never" };
  const [, offline = "0", end, seconds] =
    /^\s*(?:offline for (\d{1,5})s, )?(succeeds|fails) in (\d{1,5})s\s*$/.exec(text) ?? [];
  if (end === undefined) return undefined;
  const jobMs = Number(seconds) * 1000;
  return {
    cluster,
    latencyMs,
    jobMs,
    reports: Math.max(1, Math.round(jobMs / reportMs)),
    end: end === "fails" ? "fails" : "succeeds",
    offlineMs: Number(offline) * 1000,
  };
}

function openingSoon(window: KubernetesObject, now: Date): KubernetesObject {
  const opening = new Date(Math.ceil((now.getTime() + soonestMs) / 60_000) * 60_000);
  const schedule = `${opening.getUTCMinutes()} ${opening.getUTCHours()} * * *`;
  return { ...window, spec: { ...fieldsOf(window.spec), schedule, timeZone: "UTC" } };
}

/** Makes MaintenanceWindows with the annotation `hubrelay.dev/simulate` open soon. */
export async function scheduleWindows(hub: Hub, now: Date): Promise<void> {
  for (const window of await hub.list(kinds.MaintenanceWindow))
    if (requestOf(window) === "opens soon") await hub.update(openingSoon(window, now));
}

const mistake = /^mistake after (\d{1,4})s, fixed after (\d{1,4})s$/;

async function changeRule(hub: Hub, name: string, policy: string | undefined): Promise<void> {
  const present = await hub.get(kinds.ImageDigestMirrorSet, name);
  const { imageDigestMirrors: rules } = fieldsOf(present?.spec);
  if (!present || !Array.isArray(rules)) return;
  const { mirrorSourcePolicy: _, ...rule } = fieldsOf(rules[0]);
  const given = Array.isArray(rule.mirrors) ? rule.mirrors : [];
  const mirrors = [...new Set([...given, `new-${given[0]}`])];
  const changed = { ...rule, mirrors, ...(policy === undefined ? {} : { mirrorSourcePolicy: policy }) };
  const imageDigestMirrors = [changed, ...rules.slice(1)];
  await hub.update({ ...present, spec: { ...fieldsOf(present.spec), imageDigestMirrors } });
}

/**
 * Makes and fixes a mistake in each ImageDigestMirrorSet with `hubrelay.dev/simulate`. Resolves after the last fix, or
 * when the signal aborts.
 */
export async function simulateMistakes(
  hub: Hub,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  async function simulate({ metadata: { name } }: KubernetesObject, made: number, fixed: number) {
    await sleep(made * 1000, undefined, { signal });
    await changeRule(hub, name, "NeverContactSource");
    await sleep((fixed - made) * 1000, undefined, { signal });
    await changeRule(hub, name, undefined);
  }
  const requested = (await hub.list(kinds.ImageDigestMirrorSet)).flatMap((object) => {
    const [, made, fixed] = mistake.exec(requestOf(object) ?? "") ?? [];
    return made === undefined ? [] : [simulate(object, Number(made), Number(fixed))];
  });
  for (const one of await Promise.allSettled(requested))
    if (one.status === "rejected" && !signal.aborted) onError(one.reason);
}

/** Simulates the ManagedClusters with `hubrelay.dev/simulate` until the signal aborts. */
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
