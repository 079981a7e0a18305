import { expect, test } from "vitest";
import { clusterStories, retryCommand } from "./cluster-story.ts";
import type { ClusterProgress, FleetStatus } from "./fleet-status.ts";

const fleetOf = (progress: Omit<ClusterProgress, "name">): FleetStatus => ({
  namespace: "ztp",
  name: "up",
  reason: "",
  message: "",
  revision: "r",
  total: 1,
  states: {},
  ended: 0,
  clusters: [{ name: "sno1", ...progress }],
  leftAlone: [{ name: "ibu1", reason: "ImageBasedGroupUpgrade ztp/ibu handles it." }],
});

const retry = "hubrelay precache retry ztp/up --cluster sno1";
const check = { started: "2026-03-01T00:00:00Z", attempt: 2, checked: "2026-03-01T00:05:00Z" };

test.for<{ what: string; progress: Omit<ClusterProgress, "name">; story: object }>([
  {
    what: "has its images",
    progress: { state: "Succeeded", reason: "Completed", message: "Every image is there.", attempt: 1 },
    story: { group: "done", reason: "", remedy: "", next: "" },
  },
  {
    what: "has failed",
    progress: { state: "UnrecoverableError", reason: "NoSpace", message: "12 GiB too little", attempt: 2 },
    story: {
      reason: "NoSpace: 12 GiB too little",
      remedy: expect.stringContaining("Free space"),
      next: retry,
    },
  },
  {
    what: "has lost images",
    progress: {
      state: "Succeeded",
      reason: "Completed",
      message: "",
      attempt: 2,
      check: { ...check, imagesPresent: 187, imagesTotal: 190, message: "quay.io/a@sha256:1" },
    },
    story: {
      group: "done",
      reason: "sno1 has lost 3 images since they were pre-cached: quay.io/a@sha256:1",
      next: retry,
    },
  },
  {
    what: "waits for a window",
    progress: { state: "NotStarted", reason: "WaitsForWindow", message: "ztp/nights is closed.", attempt: 1 },
    story: {
      group: "outside its window",
      reason: "WaitsForWindow: ztp/nights is closed.",
      remedy: "",
      next: "",
    },
  },
])("When a cluster $what, its story should say why and what to do", ({ progress, story }) => {
  expect(clusterStories([fleetOf(progress)], "sno1")).toMatchObject([story]);
});

test("When a cluster is left alone, or unknown, its story should have the reason, or not exist", () => {
  const fleet = fleetOf({ state: "NotStarted", reason: "Waiting", message: "", attempt: 1 });
  expect(clusterStories([fleet], "ibu1")).toMatchObject([
    { group: "left alone", reason: "ImageBasedGroupUpgrade ztp/ibu handles it.", next: "" },
  ]);
  expect(clusterStories([fleet], "sno2")).toEqual([]);
});

test("When a name needs quotes in a shell, the command to retry should have them", () => {
  expect(retryCommand("ztp/up", "a b")).toBe("hubrelay precache retry ztp/up --cluster 'a b'");
});
