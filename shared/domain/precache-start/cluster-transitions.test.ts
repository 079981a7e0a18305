import { expect, test } from "vitest";
import { aWork, reported } from "../../../test/support/precache/precache-objects.ts";
import { aManagedCluster } from "../../../test/support/precache/precache-plan-objects.ts";
import { aStoredUpgrade, runOfUpgrade } from "../../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../../test/support/precache/precache-windows.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type ClusterRecord, type Records, statesFor } from "../precache-model/cluster-record.ts";
import { clusterTransitions, isFinalState } from "../precache-model/cluster-state.ts";
import { plannedUpgrade } from "../precache-model/planned-upgrade.ts";
import { asLost, follow } from "../precache-progress/follow.ts";
import { slotChanges } from "./slot-changes.ts";
import { withSuspend } from "./work/manifest-work.ts";

const cluster = "sno1";
const base = new Date("2026-03-01T01:00:00Z");
const since = "2026-03-01T01:00:00Z";
/** A second, more than an agent has to apply a run, and more than a run may take. */
const laterSeconds = [1, 100, 5 * 60 * 60];
const windowChoices = [[], [aWindow("closed", { schedule: "0 12 1 6 *" })]];

const run = runOfUpgrade(aStoredUpgrade([cluster]));
const work = aWork(cluster, run);
const jobs = [
  {},
  { active: 1 },
  { complete: "True", succeeded: 1 },
  { failedStatus: "True", failedReason: "BackoffLimitExceeded" },
  { failedStatus: "True", failedReason: "DeadlineExceeded" },
  { suspended: "True" },
];
/** What the hub may hold of the ManifestWork of an attempt: nothing, or a Job as it was applied, or suspended. */
const possibleWorks: readonly (readonly KubernetesObject[])[] = [
  [],
  ...[work, withSuspend(work, true) ?? work].flatMap((one) => [
    [one],
    [reported(one, { applied: "False", message: "forbidden" }, run)],
    ...jobs.map((job) => [reported(one, { job }, run)]),
  ]),
];

/** The record as one of a first attempt that has begun at `base`, so that the number of records is finite. */
const begun = (record: ClusterRecord): ClusterRecord => ({
  ...record,
  message: "",
  attempt: 1,
  since,
  ...(record.started ? { started: since } : {}),
});

type Step = Readonly<{ from: ClusterRecord | undefined; to: ClusterRecord }>;

/** Returns every step that one reconcile can make from a record, whatever the hub holds and however late it is. */
function stepsFrom(record: ClusterRecord | undefined): readonly Step[] {
  const records: Records = new Map(record ? [[cluster, record]] : []);
  const cgu = aStoredUpgrade([cluster], { states: statesFor(records) });
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade) throw new Error("the upgrade is not planned");
  const steps: Step[] = [];
  const add = (from: ClusterRecord | undefined, to: ClusterRecord | undefined) => {
    if (to && to !== from) steps.push({ from, to });
  };
  const retry = new Set([cluster]);
  if (isFinalState(record?.state))
    add(record, follow({ upgrade, records, worksOf: () => [], retry, now: base }).get(cluster));
  if (record?.state === "Succeeded") add(record, asLost(record, base));
  for (const [works, seconds] of possibleWorks.flatMap((one) => laterSeconds.map((s) => [one, s] as const))) {
    const now = new Date(base.getTime() + seconds * 1000);
    const worksOf = () => works;
    const followed = follow({ upgrade, records, worksOf, retry: undefined, now });
    add(record, followed.get(cluster));
    for (const windows of windowChoices) {
      const surroundings = { windows, configs: [], managedClusters: [aManagedCluster(cluster)], others: [] };
      const situation = {
        upgrade,
        cgu,
        records: followed,
        surroundings,
        startsHeldBy: undefined,
        worksOf,
        now,
      };
      add(followed.get(cluster), slotChanges(situation).changes.get(cluster)?.record);
    }
  }
  return steps;
}

/** Returns `from → to` for every step between two states that a cluster can make. */
function possibleTransitions(): ReadonlySet<string> {
  const found = new Set<string>();
  const known = new Set<string>();
  const open: (ClusterRecord | undefined)[] = [undefined];
  while (open.length > 0) {
    for (const { from, to } of stepsFrom(open.pop())) {
      const state = from?.state ?? "NotStarted";
      if (to.state !== state) found.add(`${state} → ${to.state}`);
      const next = begun(to);
      const key = JSON.stringify(next);
      if (!known.has(key)) open.push(next);
      known.add(key);
    }
  }
  return found;
}

test("When a cluster goes from one state to another, the table of transitions should have that step, and no others", () => {
  const listed = clusterTransitions.flatMap(({ from, to }) =>
    from.flatMap((state) => to.map((next) => `${state} → ${next}`)),
  );
  expect([...possibleTransitions()].sort()).toEqual(listed.sort());
});
