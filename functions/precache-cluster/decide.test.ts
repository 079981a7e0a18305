import { describe, expect, test } from "vitest";
import { isKind, kinds } from "#shared/domain/kubernetes/object.ts";
import { withSuspend } from "#shared/domain/precache-start/work/manifest-work.ts";
import {
  active,
  aSnapshot,
  type Case,
  claimed,
  nameOf,
  one,
  recorded,
  running,
  succeeded,
  testSteps,
} from "../../test/support/precache/cluster-snapshots.ts";
import { aStoredUpgrade, overUpgrade, reportsFor } from "../../test/support/precache/precache-snapshots.ts";
import { start } from "../../test/support/precache/precache-system.ts";
import { isSuspended } from "../../test/support/precache/precache-windows.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

const suspended = withSuspend(running, true) ?? running;
const earlier = (states: Readonly<Record<string, string>>) =>
  aStoredUpgrade(["sno1"], { name: "earlier", states });
const waitsForEarlier = "Waits for ClusterGroupUpgrade/default/earlier, which pre-caches this cluster first.";
const failed = { state: "UnrecoverableError", reason: "PullFailed" } as const;
const held = { state: "Starting", reason: "Suspended" } as const;

const cases: readonly Case[] = [
  {
    name: "When a cluster has a slot, it should create its ManifestWork",
    snapshot: recorded(claimed),
    steps: ["sno1 create: It has a slot."],
    written: [`create ManifestWork sno1 ${nameOf(one)}`],
  },
  {
    name: "When the attempt is a retry, it should replace the ManifestWork of the attempt before",
    snapshot: recorded({ ...claimed, attempt: 2 }),
    steps: ["sno1 create: It has a slot."],
    written: [`delete ManifestWork sno1 ${nameOf(one, 1)}`, `create ManifestWork sno1 ${nameOf(one, 2)}`],
  },
  {
    name: "When another upgrade runs on the cluster, it should wait",
    snapshot: recorded(claimed, { others: [earlier({ sno1: "Active" })] }),
    steps: [`sno1 wait: ${waitsForEarlier}`],
  },
  {
    name: "When another upgrade has planned the cluster or is done with it, it should create its ManifestWork",
    snapshot: recorded(claimed, { others: [earlier({}), earlier({ sno1: "Succeeded" })] }),
    steps: ["sno1 create: It has a slot."],
    written: [`create ManifestWork sno1 ${nameOf(one)}`],
  },
  {
    name: "When a returned cluster has a slot, it should resume its Job instead of creating another",
    snapshot: recorded({ ...claimed, suspend: false }, { works: [suspended] }),
    steps: ["sno1 resume: It may continue."],
    written: [`update ManifestWork sno1 ${nameOf(one)}`],
  },
  {
    name: "When a cluster that pulls is to pause, it should suspend its Job",
    snapshot: recorded({ ...active, suspend: true }, { works: [running] }),
    steps: ["sno1 suspend: It is to pause; finished layers stay."],
    written: [`update ManifestWork sno1 ${nameOf(one)}`],
  },
  {
    name: "When a cluster that paused may continue, it should resume its Job",
    snapshot: recorded({ ...held, suspend: false }, { works: [suspended] }),
    steps: ["sno1 resume: It may continue."],
    written: [`update ManifestWork sno1 ${nameOf(one)}`],
  },
  {
    name: "When the Job is suspended already, it should write nothing",
    snapshot: recorded({ ...held, suspend: true }, { works: [suspended] }),
    steps: ["sno1 leave: Its ManifestWork is as recorded: Starting, Suspended."],
  },
  {
    name: "When a ManifestWork that is to be suspended is gone, it should write nothing",
    snapshot: recorded({ ...active, suspend: true }),
    steps: ["sno1 leave: It is in progress: Active."],
  },
  {
    name: "When only the ManifestWork of an earlier attempt is there to suspend, it should write nothing",
    snapshot: recorded({ ...active, suspend: true, attempt: 2 }, { works: [running] }),
    steps: ["sno1 leave: It is in progress: Active."],
  },
  {
    name: "When the run has succeeded, it should remove its ManifestWork",
    snapshot: recorded(succeeded),
    steps: ["sno1 remove: It has ended: Succeeded."],
    written: [`delete ManifestWork sno1 ${nameOf(one)}`],
  },
  {
    name: "When the hub's deadline ended the run, it should remove its ManifestWork, so that it never starts later",
    snapshot: recorded({ state: "PrecacheTimeout", reason: "NoReport", attempt: 3 }),
    steps: ["sno1 remove: It has ended: PrecacheTimeout."],
    written: [`delete ManifestWork sno1 ${nameOf(one, 3)}`],
  },
  {
    name: "When the run has failed, it should keep its ManifestWork for diagnosis",
    snapshot: recorded(failed),
    steps: ["sno1 leave: Nothing changes in state UnrecoverableError."],
  },
  {
    name: "When the upgrade is over, it should remove the ManifestWork of a failed run",
    snapshot: recorded(failed, { cgu: overUpgrade(one) }),
    steps: ["sno1 remove: It has ended: UnrecoverableError."],
    written: [`delete ManifestWork sno1 ${nameOf(one)}`],
  },
  {
    name: "When the upgrade is over, no cluster should start",
    snapshot: recorded(claimed, { cgu: overUpgrade(one) }),
    steps: ["sno1 leave: Nothing changes in state PreparingToStart."],
  },
  {
    name: "When the cluster has no record, it should write nothing, whatever a message says",
    snapshot: aSnapshot(one, { works: [running] }),
    steps: ["sno1 leave: It has no slot."],
  },
  {
    name: "When the record is of earlier content, it should write nothing",
    snapshot: recorded(claimed, {
      reports: reportsFor(aStoredUpgrade(["sno1"], { platformImage: "quay.io/other:1" }), { sno1: claimed }),
    }),
    steps: ["sno1 leave: It has no slot."],
  },
  {
    name: "When the cluster waits, it should write nothing, although its ManifestWork is there",
    snapshot: recorded({}, { works: [running] }),
    steps: ["sno1 leave: Nothing changes in state NotStarted."],
  },
  {
    name: "When a message names a cluster that the plan does not have, it should write nothing",
    snapshot: recorded(claimed, { clusters: ["forged"] }),
    steps: [],
  },
  {
    name: "When the upgrade is being deleted, it should write nothing, because precache-status clears up",
    snapshot: recorded(claimed, {
      cgu: { ...one, metadata: Object.assign({ deletionTimestamp: "2026-03-01T02:00:00Z" }, one.metadata) },
    }),
    steps: [],
  },
  {
    name: "When TALM plans the upgrade itself, it should write nothing",
    snapshot: aSnapshot(
      { ...one, status: { precaching: { status: { sno1: "Active" } } } },
      { clusters: ["sno1"] },
    ),
    steps: [],
  },
];

describe("the ManifestWork of a cluster", () => {
  testSteps(cases);

  test.for([
    { seconds: 120, isHeld: false },
    { seconds: 121, isHeld: true },
  ])(
    "When it got its slot $seconds s ago, its Job should be created suspended: $isHeld",
    ({ seconds, isHeld }) => {
      const snapshot = recorded(claimed, { now: new Date(start.getTime() + seconds * 1000) });
      const [creation] = decide(snapshot).actions;
      expect(creation && isSuspended(creation.object)).toBe(isHeld);
    },
  );

  test("When a Job is suspended and resumed, only that field of the ManifestWork that was read should change", () => {
    const paused = decide(recorded({ ...active, suspend: true }, { works: [running] }));
    const [update] = paused.actions;
    expect(update?.object.metadata).toEqual(running.metadata);
    expect(update && isSuspended(update.object)).toBe(true);
    const work = update?.object ?? running;
    const resumed = decide(recorded({ ...held, suspend: false }, { works: [work] }));
    expect(resumed.actions.map(({ object }) => withSuspend(object, true))).toEqual([work]);
  });

  test("When a write was done before, or the cluster has no namespace, it should count as done", () => {
    const accepted = (snapshot: Snapshot) => decide(snapshot).actions.map(({ accepts }) => accepts);
    expect(accepted(recorded({ ...claimed, attempt: 2 }))).toEqual([
      "NotFound",
      ["AlreadyExists", "NotFound"],
    ]);
    expect(accepted(recorded(succeeded))).toEqual(["NotFound"]);
    // A ManifestWork that has changed since it was read is read again.
    expect(accepted(recorded({ ...active, suspend: true }, { works: [running] }))).toEqual([undefined]);
  });

  test("When it creates a ManifestWork, that should run the content of the plan", () => {
    const [create] = decide(recorded(claimed)).actions;
    const { platformImage } = Object(one.status).precaching.spec;
    expect(create && isKind(kinds.ManifestWork, create.object)).toBe(true);
    expect(JSON.stringify(create?.object.spec)).toContain(platformImage);
    expect(create && isSuspended(create.object)).toBe(false);
  });
});
