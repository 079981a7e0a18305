import { expect, test } from "vitest";
import { barOrder, clusterGroupOf, clusterGroups } from "./cluster-group.ts";
import type { ClusterProgress } from "./fleet-status.ts";

test.for<readonly [ClusterProgress["state"], ClusterProgress["reason"], string]>([
  ["Succeeded", "Completed", "done"],
  ["Succeeded", "Removed", "done"],
  ["UnrecoverableError", "PullFailed", "failed"],
  ["PrecacheTimeout", "ClusterNotReached", "failed"],
  ["NotStarted", "ClusterNotReached", "offline"],
  ["Starting", "ClusterNotReached", "offline"],
  ["NotStarted", "WaitsForWindow", "outside its window"],
  ["Starting", "Suspended", "outside its window"],
  ["NotStarted", "Waiting", "waiting"],
  ["NotStarted", "Returned", "waiting"],
  ["PreparingToStart", "Claimed", "pulling"],
  ["Starting", "Applied", "pulling"],
  ["Active", "Pulling", "pulling"],
])("When a cluster is %s because of %s, it should be shown as %s", ([state, reason, group]) => {
  expect(clusterGroupOf({ state, reason })).toBe(group);
});

test("When a bar is drawn, every group should have a part of it", () => {
  expect(barOrder.toSorted()).toEqual(clusterGroups.toSorted());
});
