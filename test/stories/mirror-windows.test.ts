import { expect, test } from "vitest";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import {
  aClusterVersion,
  aDigestMirrorSet,
  anImageConfig,
  aPool,
  aTagMirrorSet,
} from "../support/hub/objects.ts";
import { type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { until } from "../support/precache/precache-windows.ts";

const builtIn = { "machineconfiguration.openshift.io/mco-built-in": "" };
const worker = (maxCost: string) =>
  aPool("worker", { labels: builtIn, annotations: { "hubrelay.dev/max-cost": maxCost } });
const night = windowObject({ timeZone: "UTC", allow: { maxCost: { worker: "drain" } } });
/** Tags may come from a mirror: that drains. */
const tagged = (name: string) =>
  aTagMirrorSet(name, [{ source: `quay.io/${name}`, mirrors: [`registry.example.com/${name}`] }]);

/** A hub with what both pools have had for long, and a worker pool that accepts at most a reload. */
async function aSettledHub(window: KubernetesObject = night): Promise<PrecacheSystem> {
  const system = precacheSystem(undefined, [mirrorConfig, maintenanceWindow]);
  const digests = [{ source: "quay.io/ocp", mirrors: ["registry.example.com/ocp"] }];
  for (const object of [
    anImageConfig(),
    aClusterVersion(),
    aDigestMirrorSet("release", digests),
    aPool("master"),
    worker("reboot"),
    window,
  ])
    system.hub.put(object);
  await system.settle();
  system.hub.put(worker("reload"));
  await until(system, "2026-03-01T12:00:00Z");
  system.outcomes.length = 0;
  return system;
}

const machineConfig = (system: PrecacheSystem, pool: string) =>
  system.hub.find(kinds.MachineConfig, `99-${pool}-generated-registries`);

/** True when the nodes of a pool use the mirror for these images. */
function isMirrored(system: PrecacheSystem, pool: string, name: string): boolean {
  const found = machineConfig(system, pool);
  const files = found ? readMachineConfigFiles(found) : [];
  return files.some(({ contents }) => contents.includes(`registry.example.com/${name}`));
}

const outcomeTexts = (system: PrecacheSystem) =>
  system.outcomes
    .filter(({ type }) => type.startsWith("dev.hubrelay.mirror-config"))
    .map(({ type, subject, data }) => {
      const [condition] = Array.isArray(data.conditions) ? data.conditions : [];
      return [type.split(".").at(-1), subject.split("-")[1], condition?.reason].filter(Boolean).join(" ");
    });

test("When a change costs more than a pool allows, it should be written at the opening of its window, without any action of a person", async () => {
  const system = await aSettledHub();
  system.hub.put(tagged("apps"));
  await system.settle();
  expect(isMirrored(system, "master", "apps")).toBe(true);
  expect(isMirrored(system, "worker", "apps")).toBe(false);
  expect(outcomeTexts(system)).toEqual(["rendered master", "held worker WaitsForWindow"]);

  await until(system, "2026-03-01T18:00:00Z");
  const windowStatus = () => Object(system.hub.find(kinds.MaintenanceWindow, "night", "fleet")?.status);
  expect(windowStatus()).toMatchObject({
    open: false,
    nextOpening: "2026-03-02T02:00:00Z",
    waitingPools: ["worker"],
  });
  await until(system, "2026-03-02T01:59:00Z");
  expect(isMirrored(system, "worker", "apps")).toBe(false);
  await until(system, "2026-03-02T02:00:00Z");
  expect(isMirrored(system, "worker", "apps")).toBe(true);
  expect(outcomeTexts(system)).toEqual([
    "rendered master",
    "held worker WaitsForWindow",
    "rendered worker WindowOpen",
  ]);
  const reasons = system.hub.all(kinds.Event).map(({ reason }) => reason);
  expect(reasons).toEqual([]);
  await until(system, "2026-03-02T02:01:00Z");
  expect(windowStatus()).toMatchObject({ open: true });
  expect(windowStatus()).not.toHaveProperty("waitingPools");
});
