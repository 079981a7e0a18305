import { describe, expect, test } from "vitest";
import {
  aManagedCluster,
  anImageBasedUpgrade,
} from "../../../../test/support/precache/precache-plan-objects.ts";
import { handledClusters, leftToImageBasedUpgrade } from "./image-based-upgrades.ts";

const edge = { clusterLabelSelectors: [{ matchLabels: { site: "edge" } }] };
const sno1 = aManagedCluster("sno1", { labels: { site: "edge" } });
const done = (action: string) => ({ clusters: [{ name: "sno1", completedActions: [{ action }] }] });
const completed = { conditions: [{ type: "Progressing", status: "False", reason: "Completed" }] };

const why = (spec: object, status?: object, more?: object) =>
  leftToImageBasedUpgrade([anImageBasedUpgrade(spec, status, more)])(sno1);

describe("clusters that an ImageBasedGroupUpgrade handles", () => {
  test.for([
    { what: "its selectors match", spec: edge, status: {}, says: "ztp/ibgu upgrades it; its Prep" },
    {
      what: "one action is under way",
      spec: {},
      status: { clusters: [{ name: "sno1", currentAction: { action: "Prep" } }] },
      says: "ztp/ibgu upgrades it, now at Prep; its Prep stage pre-caches by itself.",
    },
    { what: "only Prep was asked for", spec: edge, status: { ...completed, ...done("Prep") }, says: "ibgu" },
    {
      what: "an action has failed",
      spec: edge,
      status: { clusters: [{ name: "sno1", failedActions: [{}] }] },
      says: "ibgu",
    },
  ])("When $what, a cluster should be left to it", ({ spec, status, says }) => {
    expect(why(spec, status)).toContain(says);
  });

  test.for([
    {
      what: "its selectors match others",
      spec: { clusterLabelSelectors: [{ matchLabels: { site: "core" } }] },
    },
    { what: "it has no selector", spec: {} },
    { what: "it has finalized the cluster", spec: edge, status: done("FinalizeUpgrade") },
    { what: "it has aborted the cluster", spec: edge, status: done("AbortOnFailure") },
    { what: "it is completed without the cluster", spec: edge, status: completed },
    { what: "it is being deleted", spec: edge, more: { deletionTimestamp: "2026-03-01T02:00:00Z" } },
    { what: "its selector is invalid", spec: { clusterLabelSelectors: ["site=edge"] } },
  ])("When $what, the cluster should be free", ({ spec, status, more }) => {
    expect(why(spec, status, more)).toBeUndefined();
  });

  test("When only its actions progress, nothing should count as changed; when it is done with a cluster, it should", () => {
    const of = (cluster: object) =>
      handledClusters(anImageBasedUpgrade(edge, { clusters: [{ name: "sno1", ...cluster }] }));
    const prep = of({ currentAction: { action: "Prep" } });
    expect(of({ currentAction: { action: "Upgrade" }, completedActions: [{ action: "Prep" }] })).toBe(prep);
    expect(of({ completedActions: [{ action: "FinalizeUpgrade" }] })).not.toBe(prep);
  });
});
