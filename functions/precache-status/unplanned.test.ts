import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { aStoredUpgrade, reportsFor, workFor } from "../../test/support/precache/precache-snapshots.ts";
import {
  afterwards,
  aSnapshot,
  conditionIn,
  decisions,
  deleting,
  later,
  one,
  outcomes,
  settled,
  statesIn,
  succeeded,
  upgradeName,
  workWith,
  writesOf,
  written,
} from "../../test/support/precache/status-snapshots.ts";
import { decide } from "./decide.ts";

describe("an upgrade that has nothing to pre-cache", () => {
  const work = workFor(one, "sno1");
  const reports = reportsFor(one, { sno1: {} });
  const removed = [
    `delete ManifestWork sno1 ${work.metadata.name}: belongs to no planned upgrade`,
    "delete PreCachingReport default upgrade-0: belongs to no planned upgrade",
  ];
  test.for([
    { name: "it is gone", cgu: undefined },
    { name: "it is being deleted", cgu: deleting(one) },
    { name: "it has no plan any more", cgu: { ...one, status: {} } },
  ])("When $name, it should remove its works and reports, and then do nothing", ({ cgu }) => {
    const snapshot = aSnapshot(cgu, { works: [work, deleting(workFor(one, "sno2"))], reports });
    const plan = decide(snapshot);
    expect(written(plan)).toEqual(removed);
    expect(plan.actions.map(({ accepts }) => accepts)).toEqual(["NotFound", "NotFound"]);
    expect(decisions(plan)).toEqual([`${upgradeName} cleared: 2 objects belong to no planned upgrade`]);
    expect(plan.requeueAt).toBeUndefined();
    expect(decide(afterwards(snapshot, plan))).toEqual({ decisions: [], issues: [], actions: [] });
  });

  test("When thousands of works are left, it should remove 500 and continue a second later", () => {
    const many = Array.from({ length: 501 }, (_, index) => workFor(one, `sno${index}`));
    const plan = decide(aSnapshot(undefined, { works: many }));
    expect(plan.actions).toHaveLength(500);
    expect(plan.requeueAt).toEqual(later(1));
    expect(decide(aSnapshot(undefined, { works: many.slice(1) })).requeueAt).toBeUndefined();
  });
});

describe("an upgrade that is planned without a cluster", () => {
  const notDone = "PrecachingSuceeded False InProgress Precaching is required and not done";
  const none = aStoredUpgrade([], { annotations: { "hubrelay.dev/outcomes": "[]" } });
  const settledNone = (cgu: KubernetesObject) => {
    const snapshot = aSnapshot(cgu);
    return afterwards(snapshot, decide(snapshot));
  };

  test("When its plan is valid, its condition should say once that pre-caching is not done", () => {
    const plan = decide(aSnapshot(none));
    expect(conditionIn(plan)).toBe(notDone);
    expect(decisions(plan)).toEqual([`${upgradeName} InProgress: Precaching is required and not done`]);
    expect(outcomes(plan)).toEqual([]);
    expect(writesOf(decide(settledNone(none)))).toEqual([]);
  });

  test("When its plan is invalid, it should have no condition", () => {
    const { conditions } = Object(none.status);
    const invalid = conditions.map((condition: Record<string, string>) =>
      condition.type === "PrecacheSpecValid" ? { ...condition, status: "False" } : condition,
    );
    const cgu = { ...none, status: { ...Object(none.status), conditions: invalid } };
    expect(writesOf(decide(aSnapshot(cgu)))).toEqual([]);
  });

  test("When its last cluster has left the plan, the state of that should go, so that it starts again when it returns", () => {
    const ended = decide(settled(one, [workWith(succeeded)]));
    expect(writesOf(ended)).toEqual([]);
    const { cgu, reports } = settled(one, [workWith(succeeded)]);
    const { precaching } = Object(cgu?.status);
    const left = cgu && {
      ...cgu,
      status: { ...Object(cgu.status), precaching: { ...precaching, clusters: [] } },
    };
    const snapshot = aSnapshot(left, { reports });
    const plan = decide(snapshot);
    expect(statesIn(plan)).toEqual({});
    expect(conditionIn(plan)).toContain("PrecachingSuceeded True PrecachingCompleted");
    const hub = afterwards(snapshot, plan);
    expect(hub.reports).toEqual([]);
    expect(writesOf(decide(hub))).toEqual([]);
    const back = hub.cgu && {
      ...hub.cgu,
      status: {
        ...Object(hub.cgu.status),
        precaching: { ...Object(hub.cgu.status).precaching, clusters: ["sno1"] },
      },
    };
    expect(statesIn(decide({ ...hub, cgu: back }))).toEqual({ sno1: "PreparingToStart" });
  });
});
