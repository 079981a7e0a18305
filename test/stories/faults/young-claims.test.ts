import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { clusterEvent } from "#shared/domain/precache-model/cluster-event.ts";
import { isSuspended } from "#shared/domain/precache-start/work/manifest-work.ts";
import { ended } from "../../../cli/simulation/reported-status.ts";
import { olderHub } from "../../support/faults/older-hub.ts";
import {
  aPlannedUpgrade,
  type PrecacheSystem,
  precacheSystem,
} from "../../support/precache/precache-system.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";

const all = { batchSize: 10 };
/** Up to this age of a claim its Job is created so that it runs. */
const maxAgeSeconds = 120;
const random = drawn("ages of a claim", { ci: 1, soak: 50 }, fc.integer({ min: 0, max: 600 }));
const ages = [0, 30, 90, maxAgeSeconds, maxAgeSeconds + 1, 600, 3 * 3600, ...random];

type Happening = (system: PrecacheSystem) => Promise<void>;

const runEnds =
  (end: "fails" | "succeeds"): Happening =>
  async (system) => {
    await system.settle();
    system.report(ended(end));
    await system.settle();
  };

async function isDeleted(system: PrecacheSystem): Promise<void> {
  await system.settle();
  await system.hub.delete({ ...kinds.ClusterGroupUpgrade, namespace: "default", name: "upgrade" });
  for (const { metadata } of system.works())
    await system.hub.delete({ ...kinds.ManifestWork, namespace: "sno1", name: metadata.name });
  await system.settle();
}

async function isFollowedByAnother(system: PrecacheSystem): Promise<void> {
  await runEnds("succeeds")(system);
  system.plan(aPlannedUpgrade(["sno1"], { name: "other" }));
  await system.settle();
}

/** What has happened since the claim that a late process reads, and whether the ManifestWork of its run is gone. */
const happenings = [
  { what: "its run has failed", happened: runEnds("fails"), isGone: false },
  { what: "its run has succeeded", happened: runEnds("succeeds"), isGone: true },
  { what: "its upgrade was deleted", happened: isDeleted, isGone: true },
  { what: "another upgrade has the cluster", happened: isFollowedByAnother, isGone: true },
];

/** A message about a claim comes after so many seconds to a process that reads the hub as it was at the claim. */
async function readAfter(seconds: number, happened: Happening) {
  let claimed = 0;
  let isLate = false;
  const system = precacheSystem(undefined, undefined, (ports, { name }, changes) =>
    name === precacheCluster.name && isLate
      ? { ...ports, hub: olderHub(ports.hub, changes.slice(0, claimed)) }
      : ports,
  );
  const names = () => system.works().map(({ metadata }) => metadata.name);
  system.plan(aPlannedUpgrade(["sno1"]));
  await system.step(precacheStatus, all);
  claimed = system.changes.length;
  await happened(system);
  const before = { works: names(), states: system.states() };
  system.pass(seconds);
  isLate = true;
  const event = clusterEvent({ namespace: "default", name: "upgrade" }, "sno1", { source: "urn:test:hub" });
  system.deliver(precacheCluster.queue, JSON.stringify(event));
  await system.step(precacheCluster, all);
  isLate = false;
  const created = system.works().filter(({ metadata }) => !before.works.includes(metadata.name));
  for (const pause of [0, 150, 150]) await system.settleByTick(pause);
  return { before, created, after: { works: names(), states: system.states() } };
}

describe.for(happenings)("When a process reads an old claim, and $what", ({ happened, isGone }) => {
  test.for(ages)(
    "%i s later its Job should run again only if the claim is young, and nothing stay",
    async (seconds) => {
      countRun("a claim that is read when it is no longer there");
      const { before, created, after } = await readAfter(seconds, happened);
      const isRunning = created.map((work) => !isSuspended(work));
      // No version guards a creation: docs/explanation/precaching.md names this bound.
      expect(isRunning).toEqual(isGone ? [seconds <= maxAgeSeconds] : []);
      expect(after).toEqual(before);
    },
  );
});

test("When an old claim creates a suspended Job while another upgrade has the cluster, one should run after the other, and nothing stay", async () => {
  const older = { changes: 0, isRead: true };
  const system = precacheSystem(undefined, undefined, (ports, { name }, changes) =>
    name === precacheCluster.name && older.isRead
      ? { ...ports, hub: olderHub(ports.hub, changes.slice(0, older.changes)) }
      : ports,
  );
  system.plan(aPlannedUpgrade(["sno1"]));
  await system.step(precacheStatus, all);
  older.changes = system.changes.length;
  const other = aPlannedUpgrade(["sno1"], { name: "other" });
  const status = Object(other.status);
  const precaching = { ...status.precaching, status: { sno1: "PreparingToStart" } };
  system.hub.put({ ...other, status: { ...status, precaching } });
  system.pass(3 * 3600);
  await system.step(precacheCluster, all);
  expect(system.works().map(isSuspended)).toEqual([true]);
  older.isRead = false;
  for (let run = 0; run < 2; run++) {
    await system.settleByTick(0);
    expect(system.works()).toHaveLength(1);
    system.report(ended("succeeds"));
    await system.settleByTick(150);
  }
  await system.settleByTick(150);
  expect([system.states(), system.states("other")]).toEqual([{ sno1: "Succeeded" }, { sno1: "Succeeded" }]);
  expect(system.works()).toEqual([]);
});
