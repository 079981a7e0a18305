import { describe, expect, test } from "vitest";
import {
  aManagedCluster,
  anImageBasedUpgrade,
} from "../../../../test/support/precache/precache-plan-objects.ts";
import { aStoredUpgrade, reportsFor } from "../../../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../../../test/support/precache/precache-windows.ts";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { storedConditions } from "../../precache-model/conditions.ts";
import { withStates } from "../../precache-model/planned-upgrade.ts";
import { noWindows } from "../../precache-start/cluster-gates.ts";
import { fleetMessage, leftAloneText } from "./cluster-groups.ts";
import { fleetStatus } from "./fleet-status.ts";

const now = new Date("2026-03-01T12:00:00Z");
const started = "2026-03-01T11:00:00Z";
const since = "2026-03-01T11:30:00Z";
type Records = Readonly<Record<string, Partial<ClusterRecord>>>;

const undated = { state: "Succeeded", reason: "Completed", since } as const;
const done = { ...undated, started } as const;
const pulling = { state: "Active", reason: "Pulling", started, since, suspend: false } as const;
const statesOf = (records: Records) =>
  Object.fromEntries(Object.entries(records).map(([cluster, { state = "" }]) => [cluster, state]));

/** The status of an upgrade of these clusters with these records. */
function statusOf(clusters: readonly string[], records: Records, windows = noWindows) {
  const cgu = aStoredUpgrade(clusters, { states: statesOf(records) });
  return fleetStatus(cgu, reportsFor(cgu, records), now, windows);
}

describe("the status of a fleet", () => {
  test("When clusters have started, it should count states, in the plan's order, with deadlines", () => {
    const { revision, ...status } =
      statusOf(["sno3", "sno1", "sno2"], { sno1: pulling, sno2: { ...done, attempt: 2, bytesDone: 9 } }) ??
      {};
    expect(revision).toMatch(/^[0-9a-f]{10}$/);
    expect(status).toEqual({
      namespace: "default",
      name: "upgrade",
      reason: "",
      message: "",
      total: 3,
      states: { Active: 1, NotStarted: 1, Succeeded: 1 },
      ended: 1,
      clusters: [
        { name: "sno3", state: "NotStarted", reason: "Waiting", message: "", attempt: 1 },
        {
          name: "sno1",
          state: "Active",
          reason: "Pulling",
          message: "",
          attempt: 1,
          since,
          // Four hours from the start, and two minutes to report.
          deadline: "2026-03-01T15:02:00Z",
        },
        {
          name: "sno2",
          state: "Succeeded",
          reason: "Completed",
          message: "",
          attempt: 2,
          since,
          bytesDone: 9,
        },
      ],
    });
    expect(Object.keys(Object(status).states)).toEqual(["Active", "NotStarted", "Succeeded"]);
  });

  test("When the status has a condition, its reason and message should be shown", () => {
    const cgu = aStoredUpgrade(["sno1"]);
    const condition = { type: "PrecachingSuceeded", status: "False", reason: "InProgress", message: "m" };
    const changed = withStates(cgu, {}, [...storedConditions(cgu.status), condition]);
    expect(fleetStatus(changed, [], now)).toMatchObject({ reason: "InProgress", message: "m" });
  });

  test("When nothing is planned, there should be no status", () => {
    expect(fleetStatus({ ...aStoredUpgrade(["sno1"]), status: {} }, [], now)).toBeUndefined();
  });

  test("When the agent has not applied a run, no deadline should be shown that a return would move", () => {
    const record = { ...pulling, state: "Starting", reason: "WaitsForAgent" } as const;
    expect(statusOf(["sno1"], { sno1: record })?.clusters[0]).not.toHaveProperty("deadline");
  });

  test.for([
    { what: "another namespace", metadata: { namespace: "ztp" } },
    { what: "another upgrade", metadata: { labels: { "hubrelay.dev/cgu-namespace": "default" } } },
    { what: "no upgrade", metadata: { labels: undefined } },
  ])("When a report is of $what, it should not count", ({ metadata }) => {
    const cgu = aStoredUpgrade(["sno1"]);
    const reports = reportsFor(cgu, { sno1: done }).map((report) => {
      const { labels, ...others } = { ...report.metadata, ...metadata };
      return { ...report, metadata: { ...others, ...(labels ? { labels } : {}) } };
    });
    expect(fleetStatus(cgu, reports, now)?.clusters).toMatchObject([{ state: "NotStarted" }]);
  });
});

describe("a cluster that a window holds back", () => {
  const windows = { ...noWindows, windows: [aWindow("night")] };
  const closed = "default/night is closed until 2026-03-02T01:00:00Z.";
  const withWindow = (record: Partial<ClusterRecord>) =>
    statusOf(["sno1"], { sno1: record }, windows)?.clusters;

  test("When it waits, the window should be the reason", () => {
    expect(withWindow({})).toMatchObject([{ reason: "WaitsForWindow", message: closed }]);
    expect(fleetStatus(aStoredUpgrade(["sno1"]), [], now, windows)?.clusters).toMatchObject([
      { state: "NotStarted", reason: "WaitsForWindow", message: closed },
    ]);
  });

  test("When its Job is suspended, the window should be added to the message", () => {
    const suspended = {
      state: "Starting",
      reason: "Suspended",
      message: "It pauses.",
      suspend: true,
    } as const;
    expect(withWindow(suspended)).toMatchObject([{ reason: "Suspended", message: `It pauses. ${closed}` }]);
  });

  test("When it waits for another reason, or pulls, that should stay", () => {
    expect(withWindow({ reason: "Returned", message: "back" })).toMatchObject([
      { reason: "Returned", message: "back" },
    ]);
    expect(withWindow(pulling)).toMatchObject([{ reason: "Pulling", message: "" }]);
  });
});

test("When an ImageBasedGroupUpgrade handles selected clusters, those that are not planned should be named with the reason", () => {
  const cgu = { ...aStoredUpgrade(["sno1"]), spec: { clusters: ["sno1", "sno2", "sno3"] } };
  const managedClusters = ["sno1", "sno2", "sno3"].map((name) => aManagedCluster(name));
  const clusters = ["sno1", "sno2"].map((name) => ({ name, currentAction: { action: "Prep" } }));
  const imageBasedUpgrades = [anImageBasedUpgrade({}, { clusters })];
  const sources = { ...noWindows, managedClusters, imageBasedUpgrades };
  const reason =
    "ImageBasedGroupUpgrade ztp/ibgu upgrades it, now at Prep; its Prep stage pre-caches by itself.";
  expect(fleetStatus(cgu, [], now, sources)?.leftAlone).toEqual([{ name: "sno2", reason }]);
  expect(fleetStatus(cgu, [], now, noWindows)).not.toHaveProperty("leftAlone");
});

describe("an upgrade without a planned cluster", () => {
  const spec = { clusters: ["sno1", "sno2"], preCaching: true };
  const status = { conditions: [] };
  const managedClusters = ["sno1", "sno2"].map((name) => aManagedCluster(name));
  const clusters = ["sno1", "sno2"].map((name) => ({ name, currentAction: { action: "Prep" } }));
  const sources = {
    ...noWindows,
    managedClusters,
    imageBasedUpgrades: [anImageBasedUpgrade({}, { clusters })],
  };
  const unplanned = (fields = {}, from: typeof sources | typeof noWindows = sources) =>
    fleetStatus({ ...aStoredUpgrade([]), spec, status, ...fields }, [], now, from);

  test("When all its clusters are left to an ImageBasedGroupUpgrade, they should be named with the reason", () => {
    const found = unplanned();
    expect(found).toMatchObject({
      name: "upgrade",
      total: 0,
      ended: 0,
      states: {},
      clusters: [],
      message: "",
    });
    expect(found?.leftAlone?.map(({ name }) => name)).toEqual(["sno1", "sno2"]);
    expect(found && fleetMessage(found)).toBe("no cluster is planned");
    expect(found && leftAloneText(found)).toMatch(
      /^2 selected clusters left alone: sno1, sno2\. sno1: ImageBasedGroupUpgrade ztp\/ibgu upgrades it/,
    );
  });

  test.each([
    ["it has no status yet", { status: undefined }],
    ["it does not request pre-caching", { spec: { ...spec, preCaching: false } }],
    ["it is over", { status: { conditions: [{ type: "Succeeded", status: "True" }] } }],
  ])("When %s, there should be no status", (_case, fields) => {
    expect(unplanned(fields)).toBeUndefined();
  });

  test("When no cluster is left alone, there should be no status", () => {
    expect(unplanned({}, noWindows)).toBeUndefined();
  });
});
