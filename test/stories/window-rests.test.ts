import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";
import {
  aWindow,
  isSuspended,
  pulling,
  suspended,
  until,
  windowStatus,
} from "../support/precache/precache-windows.ts";

/** At 10 Mbit/s 9 GB are two hours, which is a whole opening. */
const bytesTotal = "9000000000";
const progressOf = (bytesDone: number) => ({ bytesTotal, bytesDone: String(bytesDone * 1_000_000) });
const done = { ...ended("succeeds"), progress: { ...ended("succeeds").progress, ...progressOf(9_000) } };

/** The clusters whose Job exists and is not to be suspended. */
const going = (system: PrecacheSystem) =>
  system.works().flatMap((work) => (isSuspended(work) ? [] : [work.metadata.namespace]));

test("When a remaining download is longer than any opening, it should continue from night to night, and the window report that it is too short", async () => {
  const system = precacheSystem();
  system.hub.put(aWindow("night", { duration: "1h" }));
  const clusters = Array.from({ length: 12 }, (_, index) => `sno${index}`);
  const annotations = { "hubrelay.dev/bandwidth": "10" };
  system.plan(aPlannedUpgrade(clusters, { annotations, maxConcurrency: 1 }));
  const conditions = () =>
    windowStatus(system, "night").conditions.map(
      ({ type, status, reason }: Readonly<Record<string, string>>) => `${type} ${status} ${reason}`,
    );
  const tooShort = () => system.outcomes.filter(({ type }) => type.endsWith(".too-short"));
  await until(system, "2026-03-02T01:00:00Z");
  expect(going(system)).toEqual(["sno0"]);
  expect(conditions()).toEqual(["Ready True Valid"]);

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
    expect(conditions()).toEqual(["Ready True Valid", "LongEnough False RestsTooLong"]);
  }
  expect(tooShort()).toMatchObject([
    {
      subject: "default/night",
      data: {
        clusterCount: 12,
        clusters: expect.arrayContaining([
          { cgu: { namespace: "default", name: "upgrade" }, cluster: "sno1", openings: 2 },
        ]),
      },
    },
  ]);
  expect(tooShort()[0]?.data.clusters).toHaveLength(10);
  const { message } = windowStatus(system, "night").conditions[1];
  expect(message).toContain("sno1 of default/upgrade (2 openings)");
  expect(message).toContain("and 1 more");
  expect(message).not.toContain("sno0 ");

  await until(system, "2026-03-04T01:00:00Z");
  system.report(done);
  await system.settle();
  const window = system.hub.find(kinds.MaintenanceWindow, "night", "default");
  if (window) system.hub.put({ ...window, spec: { ...Object(window.spec), duration: "5h" } });
  await until(system, "2026-03-04T01:01:00Z");
  expect(conditions()).toEqual(["Ready True Valid", "LongEnough True RestsFit"]);
  expect(tooShort()).toHaveLength(1);
});
