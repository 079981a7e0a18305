import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { JobReport } from "../../../cli/simulation/reported-status.ts";
import { anObject } from "../hub/objects.ts";
import { aPlannedUpgrade, type PrecacheSystem } from "./precache-system.ts";

/** From one to three o'clock UTC every night, for every cluster. */
export function aWindow(name: string, spec: Readonly<Record<string, unknown>> = {}): KubernetesObject {
  const usual = { schedule: "0 1 * * *", timeZone: "UTC", duration: "2h", clusterSelector: {} };
  return anObject(kinds.MaintenanceWindow, { namespace: "default", name }, { spec: { ...usual, ...spec } });
}

export const pulling: JobReport = { job: { active: 1 }, progress: {} };
export const suspended: JobReport = { job: { suspended: "True" }, progress: {} };

/** Whether the Job of a ManifestWork is to be suspended. */
export function isSuspended({ spec }: KubernetesObject): boolean {
  const { manifests } = isRecord(spec) ? Object(spec.workload) : { manifests: [] };
  return manifests.find(({ kind }: KubernetesObject) => kind === "Job").spec.suspend === true;
}

export const windowStatus = (system: PrecacheSystem, name: string) =>
  Object(system.hub.find(kinds.MaintenanceWindow, name, "default")?.status);

/** Advances the clock to this moment, without a tick. */
export function passUntil(system: PrecacheSystem, instant: string): void {
  system.pass((Date.parse(instant) - system.now().getTime()) / 1000);
}

/** Advances the clock to this moment, with a tick there. */
export async function until(system: PrecacheSystem, instant: string): Promise<void> {
  passUntil(system, instant);
  system.tick();
  await system.settle();
}

/** The one cluster of an upgrade pulls from the opening of its window on; when this returns, the window closes. */
export async function pullUntilClosing(system: PrecacheSystem): Promise<void> {
  system.hub.put(aWindow("night"));
  system.plan(aPlannedUpgrade(["sno1"]));
  await until(system, "2026-03-02T01:00:00Z");
  system.report(pulling);
  await system.settle();
  passUntil(system, "2026-03-02T03:00:00Z");
}
