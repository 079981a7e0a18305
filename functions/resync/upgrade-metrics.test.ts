import { describe, expect, test } from "vitest";
import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { aFleet } from "../../test/support/precache/forecast-fleet.ts";
import { aStoredUpgrade, overUpgrade, reportsFor } from "../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import { aReadinessReport } from "../../test/support/ready/readiness-reports.ts";
import { maxUpgrades, type UpgradeSources, upgradeMetrics } from "./upgrade-metrics.ts";

const now = new Date("2026-03-01T12:00:00Z");
const since = "2026-03-01T11:30:00Z";
const nothing = {
  upgrades: [],
  reports: [],
  windows: [],
  configs: [],
  managedClusters: [],
  readiness: [],
} satisfies UpgradeSources;

const failed = { state: "UnrecoverableError", reason: "Unauthorized", since } as const;
const done = { state: "Succeeded", reason: "Completed", since, started: "2026-03-01T11:00:00Z" } as const;

/** The numbers of an upgrade of these clusters with these records. */
function metricsOf(
  cgu: KubernetesObject,
  records: Readonly<Record<string, Partial<ClusterRecord>>> = {},
  sources: Partial<UpgradeSources> = {},
) {
  const reports = reportsFor(cgu, records);
  const [metrics] = upgradeMetrics({ ...nothing, upgrades: [cgu], reports, ...sources }, now);
  return metrics;
}

describe("clusters", () => {
  const clusters = ["sno1", "sno2", "sno3", "sno4", "sno5"];
  const records = { sno1: failed, sno2: failed, sno3: failed, sno4: done };
  const states = Object.fromEntries(Object.entries(records).map(([name, { state }]) => [name, state]));

  test("When clusters have failed, they should count by state", () => {
    expect(metricsOf(aStoredUpgrade(clusters, { states }), records)).toEqual({
      upgrade: "default/upgrade",
      groups: [
        { group: "failed", clusters: 3 },
        { group: "done", clusters: 1 },
        { group: "waiting", clusters: 1 },
      ],
      failedShare: 0.6,
    });
  });

  test("When an upgrade is over or has no plan, it should not count", () => {
    const upgrades = [overUpgrade(aStoredUpgrade(["sno1"])), { ...aStoredUpgrade(["sno1"]), status: {} }];
    expect([...upgradeMetrics({ ...nothing, upgrades }, now)]).toEqual([]);
  });

  test("When there are many upgrades, only the newest should count, the newest first", () => {
    const upgrades = Array.from({ length: maxUpgrades + 20 }, (_, index) => {
      const { metadata, ...cgu } = aStoredUpgrade(["sno1"], { name: `upgrade-${index}` });
      const creationTimestamp = new Date(now.getTime() + index * 1000).toISOString();
      return { ...cgu, metadata: { ...metadata, creationTimestamp } };
    });
    const measured = [...upgradeMetrics({ ...nothing, upgrades }, now)];
    expect(measured).toHaveLength(maxUpgrades);
    expect(measured[0]?.upgrade).toBe(`default/upgrade-${maxUpgrades + 19}`);
  });
});

describe("late clusters", () => {
  const until = (time: string) => ({ "hubrelay.dev/enable-after-precaching": time });
  const clusters = ["a1", "a2", "a3", "a4"];
  /** Each pulls 90 GB with 100 Mbit/s: two hours, one after the other. */
  const bytesTotal = 90e9;
  const waiting = { state: "NotStarted", reason: "Waiting", since, bytesTotal } as const;
  const records = Object.fromEntries(clusters.map((name) => [name, waiting]));

  test.for<readonly [string, number | undefined, string]>([
    ["later than all need", 0, "2026-03-02T12:00:00Z"],
    ["too early for some", 2, "2026-03-01T16:30:00Z"],
    ["over", 4, "2026-03-01T11:00:00Z"],
    ["unknown", undefined, "now"],
  ])("When the time of the rollout is %s, %s should be late", ([, late, time]) => {
    const annotations = { "hubrelay.dev/bandwidth": "a=100", ...until(time) };
    const { cgu, surroundings } = aFleet(clusters, { maxConcurrency: 1, annotations });
    expect(metricsOf(cgu, records, surroundings)?.late).toBe(late);
  });

  test("When a cluster has failed, it should be failed and not late", () => {
    const annotations = until("2026-03-02T12:00:00Z");
    const cgu = aStoredUpgrade(["sno1", "sno2"], { annotations, states: { sno1: "UnrecoverableError" } });
    expect(metricsOf(cgu, { sno1: failed })).toMatchObject({ failedShare: 0.5, late: 0 });
  });
});

describe("images and windows", () => {
  const required = { "hubrelay.dev/require-ready": "true" };
  const windows = [aWindow("night")];
  const labelled = (cgu: KubernetesObject, name: string) => ownValue(cgu.metadata.annotations, name);

  test("When clusters wait for images that are not ready, it should be known when a window opens", () => {
    const cgu = aStoredUpgrade(["sno1"], { annotations: required });
    expect(labelled(cgu, "hubrelay.dev/require-ready")).toBe("true");
    const at = "2026-03-01T11:00:00Z";
    const ready = [aReadinessReport(cgu, { "quay.io/a@sha256:1": "ready" }, at)];
    const missing = [aReadinessReport(cgu, { "quay.io/a@sha256:1": "missing" }, at)];
    const opens = { notReadyOpensInSeconds: 13 * 3600 };
    expect(metricsOf(cgu, {}, { windows, readiness: missing })).toMatchObject(opens);
    expect(metricsOf(cgu, {}, { windows })).toMatchObject(opens);
    expect(metricsOf(cgu, {}, { windows, readiness: ready })).not.toHaveProperty("notReadyOpensInSeconds");
  });

  test("When clusters do not wait for images, or have ended, it should not count", () => {
    const without = metricsOf(aStoredUpgrade(["sno1"]), {}, { windows });
    const states = { sno1: "Succeeded" };
    const ended = metricsOf(
      aStoredUpgrade(["sno1"], { annotations: required, states }),
      { sno1: done },
      { windows },
    );
    for (const metrics of [without, ended]) expect(metrics).not.toHaveProperty("notReadyOpensInSeconds");
  });
});
