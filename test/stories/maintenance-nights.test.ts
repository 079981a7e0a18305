import { expect, test } from "vitest";
import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { clusterQueue } from "#shared/domain/precache-model/cluster-event.ts";
import { type Run, runOf } from "#shared/domain/precache-model/work-identity.ts";
import { ended, type JobReport, withReport } from "../../cli/simulation/reported-status.ts";
import {
  aPlannedUpgrade,
  type PrecacheSystem,
  precacheSystem,
  start,
} from "../support/precache/precache-system.ts";
import { aWindow, isSuspended, pulling, suspended } from "../support/precache/precache-windows.ts";

const minute = 60_000;
const at = (instant: string) => new Date(instant).getTime();

/** A link that takes one image in ten minutes, and the registry behind it, which records every pull. */
function standInRegistry(system: PrecacheSystem, imagesOf: (cluster: string) => number) {
  const pulls: Readonly<{ time: number; cluster: string; image: number }>[] = [];
  const done = new Map<string, number>();
  const lastReports = new Map<string, JobReport>();
  /** An agent without changes reports nothing. */
  const report = (cluster: string, work: KubernetesObject, run: Run, jobReport: JobReport) => {
    if (lastReports.get(cluster) !== jobReport) system.hub.put(withReport(work, run, jobReport));
    lastReports.set(cluster, jobReport);
  };
  return {
    pulls,
    done,
    /** Advances ten minutes on every cluster whose Job runs. */
    work(isAway: boolean): void {
      for (const work of system.works()) {
        const run = runOf(work);
        const cluster = work.metadata.namespace ?? "";
        if (!run) continue;
        if (isSuspended(work)) {
          report(cluster, work, run, suspended);
          continue;
        }
        const image = done.get(cluster) ?? 0;
        if (!isAway && image < imagesOf(cluster)) {
          pulls.push({ time: system.now().getTime(), cluster, image });
          done.set(cluster, image + 1);
        }
        const isDone = (done.get(cluster) ?? 0) >= imagesOf(cluster);
        report(cluster, work, run, isDone ? ended("succeeds") : pulling);
      }
    },
  };
}

test("Over three nights with thin links, a freeze, an outage and a restart, every cluster should be cached inside its windows", async () => {
  const system = precacheSystem();
  const clusters = Array.from({ length: 60 }, (_, index) => `sno${index}`);
  const siteOf = (cluster: string) => (Number(cluster.slice(3)) % 2 ? "berlin" : "denver");
  const imagesOf = (cluster: string) => 14 + (Number(cluster.slice(3)) % 9);
  const freeze = [{ from: "2026-03-03", to: "2026-03-03", reason: "quarter's end" }];
  const zones = { berlin: "Europe/Berlin", denver: "America/Denver" } as const;
  for (const [site, timeZone] of Object.entries(zones))
    system.hub.put(
      aWindow(site, { timeZone, exclusions: freeze, clusterSelector: { matchLabels: { site } } }),
    );
  const { apiVersion, kind } = kinds.ManagedCluster;
  for (const name of clusters)
    system.hub.put({ apiVersion, kind, metadata: { name, labels: { site: siteOf(name) } } });
  const registry = standInRegistry(system, imagesOf);
  system.plan(aPlannedUpgrade(clusters, { timeout: 1440 }));

  // The first night is that of 2 March, the second that of 4 March, for the 3rd is frozen.
  const outage = [at("2026-03-04T00:30:00Z"), at("2026-03-04T01:10:00Z")] as const;
  const restart = at("2026-03-05T00:00:00Z");
  const isNight = (time: number) => new Date(time).getUTCHours() < 10;
  while (system.now().getTime() < at("2026-03-06T00:00:00Z")) {
    const now = system.now().getTime();
    system.tick();
    if (now === restart) {
      // All requests in flight are lost, and changes meanwhile are not forwarded.
      await system.step(maintenanceWindow, { batchSize: 10 }, 6);
      for (const queue of system.queues.values()) queue.length = 0;
      system.forward(false);
    } else {
      system.forward(true);
      if (now === restart + 10 * minute) system.resync();
      await system.settle();
    }
    registry.work(now >= outage[0] && now < outage[1]);
    await system.settle();
    system.pass(isNight(now) ? 600 : 3600);
  }

  expect(system.condition()).toBe("True PrecachingCompleted: Precaching is completed for all clusters");
  expect(Object.fromEntries(registry.done)).toEqual(
    Object.fromEntries(clusters.map((cluster) => [cluster, imagesOf(cluster)])),
  );
  const hours = { berlin: 0, denver: 8 } as const;
  const outside = registry.pulls.filter(({ time, cluster }) => {
    const opens = hours[siteOf(cluster)];
    const sinceOpening = ((time / minute) % 1440) - opens * 60;
    const isFrozen = new Date(time).toISOString().startsWith("2026-03-03");
    return sinceOpening < 0 || sinceOpening >= 120 || isFrozen;
  });
  expect(outside).toEqual([]);
  const pulled = registry.pulls.map(({ cluster, image }) => `${cluster}/${image}`);
  expect(new Set(pulled).size).toBe(pulled.length);
  expect(clusters.map((cluster) => system.jobs.get(cluster)?.length)).toEqual(clusters.map(() => 1));
  expect(system.works()).toEqual([]);
  expect(system.queues.get(clusterQueue)).toEqual([]);
  expect(system.now().getTime() - start.getTime()).toBeGreaterThan(3 * 1440 * minute);
});
