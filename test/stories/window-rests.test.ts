import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import { aWindow, isSuspended, pulling, suspended, until } from "../support/precache/precache-windows.ts";

/** At 10 Mbit/s 9 GB are two hours, which is a whole opening. */
const bytesTotal = "9000000000";
const progressOf = (bytesDone: number) => ({ bytesTotal, bytesDone: String(bytesDone * 1_000_000) });
const done = { ...ended("succeeds"), progress: { ...ended("succeeds").progress, ...progressOf(9_000) } };

function aCluster(system: PrecacheSystem, name: string, labels: Readonly<Record<string, string>>): void {
  const { apiVersion, kind } = kinds.ManagedCluster;
  system.hub.put({ apiVersion, kind, metadata: { name, labels } });
}

/** The clusters whose Job exists and is not to be suspended. */
const going = (system: PrecacheSystem) =>
  system.works().flatMap((work) => (isSuspended(work) ? [] : [work.metadata.namespace]));

test("When the remaining download of a suspended Job does not fit the end of an opening, it should continue in the next one", async () => {
  const system = precacheSystem();
  system.hub.put(aWindow("night"));
  system.plan(aPlannedUpgrade(["sno1", "sno2"], { annotations: { "hubrelay.dev/bandwidth": "10" } }));
  await until(system, "2026-03-02T01:00:00Z");
  system.report({ ...pulling, progress: progressOf(6_000) }, ["sno1"]);
  system.report({ ...pulling, progress: progressOf(8_250) }, ["sno2"]);
  await until(system, "2026-03-02T03:00:00Z");
  system.report({ ...suspended, progress: progressOf(6_000) }, ["sno1"]);
  system.report({ ...suspended, progress: progressOf(8_250) }, ["sno2"]);
  await system.settle();
  expect(going(system)).toEqual([]);

  // The ticks of the opening were lost until half an hour is left: sno1 needs 40 minutes, sno2 ten.
  await until(system, "2026-03-03T02:30:00Z");
  expect(going(system)).toEqual(["sno2"]);
  expect(system.records().sno1).toMatchObject({ state: "Starting", reason: "Suspended" });
  system.report(done, ["sno2"]);
  await until(system, "2026-03-03T02:31:00Z");
  expect(going(system)).toEqual([]);

  await until(system, "2026-03-04T01:00:00Z");
  expect(going(system)).toEqual(["sno1"]);
  expect(system.jobs.get("sno1")).toHaveLength(1);
});

test("When clusters share a site's link, only as many should start as an opening has time for, and all should get their night", async () => {
  const system = precacheSystem();
  system.hub.put(aWindow("night"));
  const inOslo = ["oslo1", "oslo2", "oslo3", "oslo4"];
  for (const name of ["canary", ...inOslo])
    aCluster(system, name, { site: inOslo.includes(name) ? "oslo" : "bergen" });
  const annotations = { "hubrelay.dev/bandwidth": "100,oslo=20", "hubrelay.dev/site-label": "site" };
  system.plan(aPlannedUpgrade(["canary", ...inOslo], { annotations, maxConcurrency: 1 }));
  await until(system, "2026-03-02T01:00:00Z");
  system.report(pulling);
  await until(system, "2026-03-02T02:30:00Z");
  system.report(done);
  await system.settle();
  const cgu = system.upgrade();
  if (!cgu) throw new Error("there is no upgrade");
  const spec = { ...Object(cgu.spec), remediationStrategy: { maxConcurrency: 5, timeout: 240 } };
  system.hub.put({ ...cgu, spec });
  await system.settle();

  // An hour each when one runs, two hours when two run.
  await until(system, "2026-03-03T01:00:00Z");
  expect(going(system)).toEqual(["oslo1", "oslo2"]);
  system.report(pulling);
  const reads = () => system.count("list PreCachingConfig");
  const sent = () =>
    system.entries.filter((entry) => entry.event === "sent" && entry.queue === "precache-clusters").length;
  const before = [reads(), sent()];
  await until(system, "2026-03-03T01:01:00Z");
  expect([reads(), sent()]).toEqual([(before[0] ?? 0) + 1, before[1]]);

  system.report({ ...pulling, progress: progressOf(8_700) });
  await until(system, "2026-03-03T03:00:00Z");
  system.report({ ...suspended, progress: progressOf(8_700) });
  await system.settle();
  expect(going(system)).toEqual([]);
  // Two minutes each are left of those: they continue first.
  await until(system, "2026-03-04T01:00:00Z");
  expect(going(system)).toEqual(["oslo1", "oslo2", "oslo3"]);
  system.report(done);
  await system.settle();
  expect(going(system)).toEqual(["oslo4"]);
});

test("When a remaining download is longer than any opening, it should continue from night to night", async () => {
  const system = precacheSystem();
  system.hub.put(aWindow("night", { duration: "1h" }));
  const clusters = Array.from({ length: 12 }, (_, index) => `sno${index}`);
  const annotations = { "hubrelay.dev/bandwidth": "10" };
  system.plan(aPlannedUpgrade(clusters, { annotations, maxConcurrency: 1 }));
  await until(system, "2026-03-02T01:00:00Z");
  expect(going(system)).toEqual(["sno0"]);

  // One image more arrives in each night.
  for (const [night, megabytes] of [4_000, 8_000].entries()) {
    await until(system, `2026-03-0${night + 2}T01:00:30Z`);
    expect(going(system)).toEqual(["sno0"]);
    system.report({ ...pulling, progress: progressOf(megabytes) });
    await system.settle();
    await until(system, `2026-03-0${night + 2}T02:00:00Z`);
    system.report({ ...suspended, progress: progressOf(megabytes) });
    await system.settle();
    await until(system, `2026-03-0${night + 2}T02:01:00Z`);
    expect(going(system)).toEqual([]);
  }
});
