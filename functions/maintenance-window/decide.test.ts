import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { RunReason } from "#shared/domain/precache/model/run-reason.ts";
import type { ClusterRecord } from "#shared/domain/precache/progress/cluster-record.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { aManagedCluster } from "../../test/support/precache/precache-plan-objects.ts";
import { anUpgrade, overUpgrade, reportsFor } from "../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../test/support/precache/precache-windows.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

/** `aWindow` is open from one to three o'clock. */
const open = new Date("2026-03-01T02:00:00Z");
const noon = new Date("2026-03-01T12:00:00Z");
const gib = 1024 ** 3;

const stored = (window: KubernetesObject, generation = 1): KubernetesObject => ({
  ...window,
  metadata: { ...window.metadata, uid: "w", resourceVersion: "3", generation },
});
const night = stored(aWindow("night"));
const wasOpen = { ...night, status: { open: true, changedAt: "2026-03-01T01:00:00Z" } };

/** The hub at an opening, with an upgrade of two clusters that `night` selects. */
const aSnapshot = (changes: Partial<Snapshot> = {}): Snapshot => ({
  now: open,
  hubId: "urn:test:hub",
  windows: [night],
  upgrades: [anUpgrade(["sno1", "sno2"])],
  configs: [],
  reports: [],
  managedClusters: ["sno1", "sno2"].map((name) => aManagedCluster(name)),
  waitingEvents: [],
  ...changes,
});

/** The hub after a plan was applied. */
function afterwards(snapshot: Snapshot, { actions }: Plan): Snapshot {
  const byName = new Map(actions.map(({ object }) => [object.metadata.name, object]));
  return {
    ...snapshot,
    windows: snapshot.windows.map((window) => byName.get(window.metadata.name) ?? window),
  };
}
const settledAt = (now: Date) => {
  const snapshot = aSnapshot({ now });
  return afterwards(snapshot, decide(snapshot));
};

const decisions = (plan: Plan) =>
  plan.decisions.map(({ subject, verdict, reason }) => `${subject} ${verdict}: ${reason}`);
const statusIn = ({ actions: [action] }: Plan) => {
  const { conditions: _conditions, ...status } = Object(action?.object.status);
  return status;
};
const conditionsIn = ({ actions: [action] }: Plan) =>
  Object(action?.object.status).conditions.map(
    ({ type, status, reason, message }: Record<string, string>) => `${type} ${status} ${reason}: ${message}`,
  );
const outcomes = (plan: Plan) =>
  outcomesOf(plan).map(
    ({ type, subject }) => `${type.replace("dev.hubrelay.maintenance-window.", "")} ${subject}`,
  );
/** The upgrades that a plan asks precache-status to reconcile. */
const woken = ({ sends = [] }: Plan) => sends.flatMap(({ events }) => events.map(({ data }) => data.name));
const named = "MaintenanceWindow/default/night";
const valid = "Ready True Valid: The window opens as specified.";

describe("the status of a window", () => {
  const cases = [
    {
      name: "When it is open, it should show until when, and who waits",
      snapshot: aSnapshot(),
      decisions: [
        `${named} open: until 2026-03-01T03:00:00Z, opens again 2026-03-02T01:00:00Z; 0 inside, 2 waiting`,
      ],
      status: {
        observedGeneration: 1,
        open: true,
        changedAt: "2026-03-01T02:00:00Z",
        closesAt: "2026-03-01T03:00:00Z",
        nextOpening: "2026-03-02T01:00:00Z",
        inside: 0,
        waiting: 2,
        waitingClusters: ["sno1", "sno2"],
        upgrades: [{ namespace: "default", name: "upgrade", inside: 0, waiting: 2 }],
      },
      conditions: [valid],
      outcomes: ["opened default/night"],
    },
    {
      name: "When it is closed from the beginning, it should show when it opens and report no change",
      snapshot: aSnapshot({ now: noon, upgrades: [] }),
      decisions: [`${named} closed: opens 2026-03-02T01:00:00Z; 0 inside, 0 waiting`],
      status: {
        observedGeneration: 1,
        open: false,
        nextOpening: "2026-03-02T01:00:00Z",
        inside: 0,
        waiting: 0,
      },
      conditions: [valid],
      outcomes: [],
    },
    {
      name: "When it closes, it should report that once",
      snapshot: aSnapshot({ now: noon, upgrades: [], windows: [wasOpen] }),
      decisions: [`${named} closed: opens 2026-03-02T01:00:00Z; 0 inside, 0 waiting`],
      status: {
        observedGeneration: 1,
        open: false,
        changedAt: "2026-03-01T12:00:00Z",
        nextOpening: "2026-03-02T01:00:00Z",
        inside: 0,
        waiting: 0,
      },
      conditions: [valid],
      outcomes: ["closed default/night"],
    },
    {
      name: "When its last opening before a freeze is now, it should say that it never opens again",
      snapshot: aSnapshot({
        upgrades: [],
        windows: [stored(aWindow("night", { exclusions: [{ from: "2026-03-02", to: "2126-01-01" }] }))],
      }),
      decisions: [`${named} open: until 2026-03-01T03:00:00Z, never opens again; 0 inside, 0 waiting`],
      status: {
        observedGeneration: 1,
        open: true,
        changedAt: "2026-03-01T02:00:00Z",
        closesAt: "2026-03-01T03:00:00Z",
        inside: 0,
        waiting: 0,
      },
      conditions: [valid],
      outcomes: ["opened default/night"],
    },
    {
      name: "When freezes leave no opening, it should be not ready",
      snapshot: aSnapshot({
        upgrades: [],
        windows: [stored(aWindow("night", { exclusions: [{ from: "2026-01-01", to: "2126-01-01" }] }), 4)],
      }),
      decisions: [`${named} closed: spec.exclusions: Every opening from now on falls in a freeze`],
      status: { observedGeneration: 4, open: false, inside: 0, waiting: 0 },
      conditions: ["Ready False Invalid: spec.exclusions: Every opening from now on falls in a freeze"],
      outcomes: [],
    },
    {
      name: "When it is invalid, it should be closed and name every error",
      snapshot: aSnapshot({
        upgrades: [],
        windows: [stored(aWindow("night", { timeZone: "Mars", duration: "long" }))],
      }),
      decisions: [
        `${named} invalid: spec.timeZone: Unknown time zone: Mars; spec.duration: "long" is not a duration`,
      ],
      status: { observedGeneration: 1, open: false, inside: 0, waiting: 0 },
      conditions: [
        'Ready False Invalid: spec.timeZone: Unknown time zone: Mars; spec.duration: "long" is not a duration',
      ],
      outcomes: [],
    },
    {
      name: "When it becomes invalid while it is open, it should close and report that",
      snapshot: aSnapshot({
        upgrades: [],
        windows: [{ ...stored(aWindow("night", { timeZone: "Mars" }), 2), status: wasOpen.status }],
      }),
      decisions: [`${named} invalid: spec.timeZone: Unknown time zone: Mars`],
      status: {
        observedGeneration: 2,
        open: false,
        changedAt: "2026-03-01T02:00:00Z",
        inside: 0,
        waiting: 0,
      },
      conditions: ["Ready False Invalid: spec.timeZone: Unknown time zone: Mars"],
      outcomes: ["closed default/night"],
    },
    {
      name: "When the object has no generation, as in a directory of files, it should claim none",
      snapshot: aSnapshot({ now: noon, upgrades: [], windows: [aWindow("night")] }),
      decisions: [`${named} closed: opens 2026-03-02T01:00:00Z; 0 inside, 0 waiting`],
      status: { open: false, nextOpening: "2026-03-02T01:00:00Z", inside: 0, waiting: 0 },
      conditions: [valid],
      outcomes: [],
    },
  ];

  test.for(cases)("$name", ({ snapshot, ...expected }) => {
    const plan = decide(snapshot);
    expect(decisions(plan)).toEqual(expected.decisions);
    expect(statusIn(plan)).toEqual(expected.status);
    expect(conditionsIn(plan)).toEqual(expected.conditions);
    expect(outcomes(plan)).toEqual(expected.outcomes);
    expect(plan.actions).toMatchObject([
      { verb: "update-status", reason: expected.decisions[0]?.replace(/^\S+ \S+: /, "") },
    ]);
  });

  test.for(cases)("$name; and deciding again afterwards should change nothing", ({ snapshot }) => {
    const again = decide(afterwards(snapshot, decide(snapshot)));
    expect(again.actions).toEqual([]);
  });

  test("When other programs have conditions in the status, they should stay, and other fields not", () => {
    const foreign = { type: "Foreign", status: "True", reason: "Own", message: "stays" };
    const window = { ...night, status: { conditions: [foreign], left: "over" } };
    const plan = decide(aSnapshot({ windows: [window] }));
    expect(conditionsIn(plan)).toEqual(["Foreign True Own: stays", valid]);
    expect(statusIn(plan)).not.toHaveProperty("left");
    expect(plan.actions[0]?.object.metadata.resourceVersion).toBe("3");
  });

  test("When there is an opening and a closing, their outcomes should say so, each under its own id", () => {
    const [opened] = outcomesOf(decide(aSnapshot()));
    expect(opened).toMatchObject({
      source: "urn:test:hub",
      data: {
        window: { namespace: "default", name: "night" },
        observedGeneration: 1,
        open: true,
        closesAt: "2026-03-01T03:00:00Z",
        nextOpening: "2026-03-02T01:00:00Z",
        inside: 0,
        waiting: 2,
      },
    });
    const [closed] = outcomesOf(decide({ ...settledAt(open), now: noon }));
    expect(closed?.data).toMatchObject({ open: false });
    expect(closed?.id).not.toBe(opened?.id);
    const crowded = decide(aSnapshot({ upgrades: [] }));
    expect(outcomesOf(crowded)[0]?.id).toBe(opened?.id);
  });

  test("When a message is delivered again, it should report the last change again, under its id", () => {
    const id = outcomesOf(decide(aSnapshot()))[0]?.id;
    const hub = settledAt(open);
    expect(
      decide(hub)
        .standing?.(open)
        .map((outcome) => outcome.id),
    ).toEqual([id]);
    expect(decide(settledAt(noon)).standing?.(open)).toEqual([]);
  });

  test("When there is no window, it should do nothing", () => {
    expect(decide(aSnapshot({ windows: [] }))).toMatchObject({
      decisions: [],
      issues: [],
      actions: [],
      sends: [],
    });
  });

  test("When a field is invalid, it should report its issue", () => {
    const plan = decide(aSnapshot({ windows: [stored(aWindow("night", { atEnd: "Later" }))] }));
    expect(plan.issues.map(({ code, path }) => `${code} ${path}`)).toEqual(["InvalidEnd spec.atEnd"]);
  });
});

describe("pools that wait", () => {
  const waits = (pool: string, fields: Partial<KubernetesObject> = {}): KubernetesObject => ({
    ...kinds.Event,
    metadata: { name: pool, annotations: { "hubrelay.dev/waits-for": "default/night" } },
    reason: "ChangeWaitsForWindow",
    involvedObject: { kind: "MachineConfigPool", name: pool },
    ...fields,
  });

  test("When changes of pools wait for a window, it should name at most ten, sorted", () => {
    const pools = Array.from({ length: 11 }, (_, index) => `pool-${String.fromCharCode(107 - index)}`);
    const plan = decide(aSnapshot({ waitingEvents: pools.map((pool) => waits(pool)) }));
    expect(statusIn(plan).waitingPools).toEqual(pools.toSorted().slice(0, 10));
  });

  test("When changes of hosted clusters wait for a window, it should name them with their namespaces", () => {
    const hosted = waits("shop", {
      involvedObject: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
    });
    const status = statusIn(decide(aSnapshot({ waitingEvents: [hosted, waits("worker")] })));
    expect(status).toMatchObject({ waitingPools: ["worker"], waitingHostedClusters: ["clusters/shop"] });
  });

  test("When an Event is about something else, no pool should wait", () => {
    const others = [
      waits("a", { reason: "ChangeHeld" }),
      waits("b", { metadata: { name: "b", annotations: { "hubrelay.dev/waits-for": "default/other" } } }),
    ];
    expect(statusIn(decide(aSnapshot({ waitingEvents: others })))).not.toHaveProperty("waitingPools");
  });
});

describe("clusters and their windows", () => {
  const running = (state: string, reason: RunReason, fields: Partial<ClusterRecord> = {}) => {
    const cgu = anUpgrade(["sno1"], { states: { sno1: state } });
    return { upgrades: [cgu], reports: reportsFor(cgu, { sno1: { state: "Starting", reason, ...fields } }) };
  };
  const finishing = [stored(aWindow("night", { atEnd: "Finish" }))];
  const slow = { annotations: { "hubrelay.dev/bandwidth": "20" } };
  const nineGib = { bytesTotal: 9 * gib };

  test.for([
    {
      name: "waits while the window is open",
      changes: { upgrades: [anUpgrade(["sno1"])] },
      count: [0, 1],
      wakes: true,
    },
    {
      name: "waits while it is closed",
      changes: { upgrades: [anUpgrade(["sno1"])], now: noon },
      count: [0, 1],
      wakes: false,
    },
    { name: "pulls while it is open", changes: running("Active", "Pulling"), count: [1, 0], wakes: false },
    {
      name: "pulls after its end",
      changes: { ...running("Active", "Pulling"), now: noon },
      count: [0, 1],
      wakes: true,
    },
    {
      name: "is suspended after its end",
      changes: { ...running("Starting", "Suspended"), now: noon },
      count: [0, 1],
      wakes: false,
    },
    {
      name: "is suspended when it opens",
      changes: running("Starting", "Suspended"),
      count: [0, 1],
      wakes: true,
    },
    {
      name: "pulls after its end and is to pause already",
      changes: { ...running("Active", "Pulling", { suspend: true }), now: noon },
      count: [0, 1],
      wakes: false,
    },
    {
      name: "is suspended when it opens and is to continue already",
      changes: running("Starting", "Suspended", { suspend: false }),
      count: [0, 1],
      wakes: false,
    },
    {
      name: "may finish after its end",
      changes: { ...running("Active", "Pulling"), windows: finishing, now: noon },
      count: [1, 0],
      wakes: false,
    },
    {
      name: "has a slot but no Job at its end, although Jobs may finish",
      changes: { ...running("PreparingToStart", "Claimed"), windows: finishing, now: noon },
      count: [0, 1],
      wakes: true,
    },
    {
      name: "is unreachable",
      changes: {
        upgrades: [anUpgrade(["sno1"])],
        reports: reportsFor(anUpgrade(["sno1"]), { sno1: { reason: "ClusterNotReached" } }),
      },
      count: [0, 1],
      wakes: false,
    },
    {
      name: "has ended",
      changes: { upgrades: [anUpgrade(["sno1"], { states: { sno1: "Succeeded" } })] },
      count: [0, 0],
      wakes: false,
    },
    {
      name: "belongs to an upgrade that is over",
      changes: { upgrades: [overUpgrade(anUpgrade(["sno1"]))] },
      count: [0, 0],
      wakes: false,
    },
    {
      name: "belongs to an upgrade of TALM",
      changes: { upgrades: [{ ...anUpgrade(["sno1"]), status: {} }] },
      count: [0, 0],
      wakes: false,
    },
    {
      name: "has more to pull than fits the rest of the opening",
      changes: {
        upgrades: [anUpgrade(["sno1"], slow)],
        reports: reportsFor(anUpgrade(["sno1"]), { sno1: nineGib }),
      },
      count: [0, 1],
      wakes: false,
    },
  ])(
    "When a cluster $name, the window should count it and wake its upgrade only for something to do",
    ({ changes, count, wakes }) => {
      const plan = decide(aSnapshot(changes));
      const { inside, waiting, insideClusters, waitingClusters } = statusIn(plan);
      expect([inside, waiting]).toEqual(count);
      expect([insideClusters?.length ?? 0, waitingClusters?.length ?? 0]).toEqual(count);
      expect(woken(plan)).toEqual(wakes ? ["upgrade"] : []);
    },
  );

  test.for([
    {
      name: "are to be checked before its next opening",
      annotations: { "hubrelay.dev/check-before": "14h" },
      wakes: true,
    },
    { name: "are not to be checked yet", annotations: { "hubrelay.dev/check-before": "12h" }, wakes: false },
    { name: "are not to be checked", annotations: {}, wakes: false },
  ])(
    "When clusters that have succeeded $name, their upgrade should be woken only for that",
    ({ annotations, wakes }) => {
      const states = { sno1: "Succeeded", sno2: "Succeeded" };
      const cgu = anUpgrade(["sno1", "sno2"], { annotations, states });
      const cached = { state: "Succeeded", reason: "Completed", since: "2026-02-20T12:00:00Z" } as const;
      const reports = reportsFor(cgu, { sno1: cached, sno2: cached });
      const plan = decide(aSnapshot({ upgrades: [cgu], reports, now: noon }));
      expect(woken(plan)).toEqual(wakes ? ["upgrade"] : []);
    },
  );

  test("When the only window was deleted, upgrades with suspended clusters should be woken, and no others", () => {
    const suspended = running("Starting", "Suspended");
    expect(woken(decide(aSnapshot({ ...suspended, windows: [] })))).toEqual(["upgrade"]);
    expect(woken(decide(aSnapshot({ ...running("Active", "Pulling"), windows: [] })))).toEqual([]);
    const resumed = running("Starting", "Suspended", { suspend: false });
    expect(woken(decide(aSnapshot({ ...resumed, windows: [] })))).toEqual([]);
    const ended = anUpgrade(["sno1"], { states: { sno1: "Succeeded" } });
    const waits = reportsFor(ended, { sno1: { reason: "Suspended" } });
    expect(woken(decide(aSnapshot({ upgrades: [ended], reports: waits, windows: [] })))).toEqual([]);
    const notStarted = { upgrades: [anUpgrade(["sno1"])], reports: waits };
    expect(woken(decide(aSnapshot({ ...notStarted, windows: [] })))).toEqual([]);
  });

  test("When an upgrade or its configuration names windows, only those should count", () => {
    const other = stored(aWindow("other"));
    const windows = [night, other];
    const usedBy = (changes: Partial<Snapshot>) =>
      decide(aSnapshot({ windows, ...changes })).actions.map(({ object }) => [
        object.metadata.name,
        Object(object.status).waiting,
      ]);
    const names = { "hubrelay.dev/maintenance-window": "other" };
    expect(usedBy({})).toEqual([
      ["night", 2],
      ["other", 2],
    ]);
    expect(usedBy({ upgrades: [anUpgrade(["sno1"], { annotations: names })] })).toEqual([
      ["night", 0],
      ["other", 1],
    ]);
    const cgu = anUpgrade(["sno1"]);
    const named = { ...cgu, spec: { ...Object(cgu.spec), preCachingConfigRef: { name: "config" } } };
    const config: KubernetesObject = {
      ...kinds.PreCachingConfig,
      metadata: { namespace: "default", name: "config", annotations: names },
    };
    expect(usedBy({ upgrades: [named], configs: [config] })).toEqual([
      ["night", 0],
      ["other", 1],
    ]);
  });

  test("When a window selects clusters by labels, it should count only those", () => {
    const north = stored(aWindow("night", { clusterSelector: { matchLabels: { site: "north" } } }));
    const managedClusters = [aManagedCluster("sno1", { labels: { site: "north" } }), aManagedCluster("sno2")];
    expect(statusIn(decide(aSnapshot({ windows: [north], managedClusters })))).toMatchObject({
      waiting: 1,
      waitingClusters: ["sno1"],
    });
  });

  test("When many clusters and upgrades use a window, its lists should be bounded and its counts not", () => {
    const clusters = Array.from({ length: 12 }, (_, index) => `sno${index}`);
    const upgrades = Array.from({ length: 21 }, (_, index) =>
      anUpgrade(clusters, { name: `upgrade-${index}`, states: { sno0: "Active" } }),
    );
    const status = statusIn(decide(aSnapshot({ upgrades })));
    expect(status).toMatchObject({ inside: 21, waiting: 21 * 11 });
    expect(status.waitingClusters).toEqual([...clusters.slice(1, 11)]);
    expect(status.insideClusters).toHaveLength(10);
    expect(status.upgrades).toHaveLength(20);
    expect(status.upgrades[0]).toEqual({ namespace: "default", name: "upgrade-0", inside: 1, waiting: 11 });
  });

  test("When a window opens or closes, it should send one message an upgrade, however many clusters that has", () => {
    const clusters = Array.from({ length: 300 }, (_, index) => `sno${index}`);
    const states = Object.fromEntries(clusters.slice(0, 9).map((cluster) => [cluster, "Active"]));
    const upgrades = [
      anUpgrade(clusters, { maxConcurrency: 3 }),
      anUpgrade(clusters, { name: "second", states }),
      anUpgrade(["sno1"], { name: "done", states: { sno1: "Succeeded" } }),
    ];
    expect(woken(decide(aSnapshot({ upgrades })))).toEqual(["upgrade", "second"]);
    expect(woken(decide(aSnapshot({ upgrades, now: noon })))).toEqual(["second"]);
  });

  test("When an upgrade is woken, the message should name only that, for the function that decides about clusters", () => {
    const [send, ...others] = decide(aSnapshot()).sends ?? [];
    expect(others).toEqual([]);
    expect(send).toMatchObject({
      queue: "precache-feedback",
      reason: "its clusters may start, continue or stop with their windows",
    });
    expect(send?.events).toMatchObject([
      {
        source: "urn:test:hub",
        data: { kind: "ClusterGroupUpgrade", namespace: "default", name: "upgrade" },
      },
    ]);
    expect(send?.events[0]?.data).not.toHaveProperty("cluster");
  });

  test("When a cluster pulls over a site's link, its upgrade should be woken only if another fits beside it", () => {
    const annotations = { "hubrelay.dev/site-label": "site", "hubrelay.dev/bandwidth": "a=20" };
    const managedClusters = ["sno1", "sno2"].map((name) => aManagedCluster(name, { labels: { site: "a" } }));
    const half = { bytesTotal: 5 * gib };
    const wokenWith = (state: string, reason: RunReason) => {
      const cgu = anUpgrade(["sno1", "sno2"], { annotations, states: { sno1: state } });
      const reports = reportsFor(cgu, { sno1: { ...half, reason }, sno2: half });
      return woken(decide(aSnapshot({ upgrades: [cgu], reports, managedClusters })));
    };
    expect(wokenWith("Active", "Pulling")).toEqual([]);
    expect(wokenWith("Starting", "Suspended")).toEqual(["upgrade"]);
  });

  test("When a report belongs to another upgrade, it should not count", () => {
    const cgu = anUpgrade(["sno1"], { states: { sno1: "Active" } });
    const other = anUpgrade(["sno1"], { name: "other" });
    const reports = reportsFor(other, { sno1: { state: "Starting", reason: "Suspended" } });
    expect(statusIn(decide(aSnapshot({ upgrades: [cgu], reports }))).inside).toBe(1);
  });
});

describe("downloads that no opening has time for", () => {
  const annotations = { "hubrelay.dev/bandwidth": "20" };
  /** 20 Mbit/s pull 8.4 GiB in an hour. */
  const hour = 9e9;
  const sized = (sizes: readonly number[]): Pick<Snapshot, "upgrades" | "reports"> => {
    const clusters = sizes.map((_, index) => `sno${index}`);
    const cgu = anUpgrade(clusters, { annotations });
    const records = sizes.map((bytesTotal, index) => [`sno${index}`, { bytesTotal, bytesDone: 0 }] as const);
    return { upgrades: [cgu], reports: reportsFor(cgu, Object.fromEntries(records)) };
  };
  /** One architecture each: the highest total of an architecture counts for all its clusters. */
  const managedClusters = Array.from({ length: 12 }, (_, index) =>
    aManagedCluster(`sno${index}`, { labels: { "kubernetes.io/arch": `a${index}` } }),
  );
  const short = (sizes: readonly number[], changes: Partial<Snapshot> = {}) =>
    decide(aSnapshot({ ...sized(sizes), managedClusters, now: noon, ...changes }));
  const remedy =
    "A layer that takes longer than an opening never completes: make the window longer, or mirror the images closer to the clusters.";

  test("When a download needs several openings, it should report the cluster once", () => {
    const plan = short([5 * hour]);
    expect(conditionsIn(plan)[1]).toBe(
      `LongEnough False RestsTooLong: Clusters have more to pull than fits into one opening, and need several: sno0 of default/upgrade (3 openings). ${remedy}`,
    );
    expect(outcomes(plan)).toEqual(["too-short default/night"]);
    expect(outcomesOf(plan)[0]?.data).toEqual({
      window: { namespace: "default", name: "night" },
      clusterCount: 1,
      clusters: [{ cgu: { namespace: "default", name: "upgrade" }, cluster: "sno0", openings: 3 }],
    });
    const snapshot = aSnapshot({ ...sized([5 * hour]), managedClusters, now: noon });
    const hub = afterwards(snapshot, plan);
    const again = decide(hub);
    expect(again.actions).toEqual([]);
    expect(again.standing?.(noon).map(({ id }) => id)).toEqual(outcomesOf(plan).map(({ id }) => id));
    const more = decide({ ...hub, ...sized([9 * hour]) });
    expect(conditionsIn(more)[1]).toContain("(5 openings)");
    expect(outcomes(more)).toEqual([]);
    const fixed = decide({ ...hub, ...sized([hour]) });
    expect(conditionsIn(fixed)).toContain(
      "LongEnough True RestsFit: No cluster is known to need more than one opening.",
    );
    expect([outcomes(fixed), fixed.standing?.(noon)]).toEqual([[], []]);
    const relapse = decide({
      ...afterwards(hub, fixed),
      ...sized([5 * hour]),
      now: new Date("2026-03-01T13:00:00Z"),
    });
    expect(outcomes(relapse)).toEqual(["too-short default/night"]);
    expect(outcomesOf(relapse)[0]?.id).not.toBe(outcomesOf(plan)[0]?.id);
  });

  test.for([
    ["exactly one opening is enough", [2 * hour], {}],
    [
      "a run may finish after the end",
      [9 * hour],
      { windows: [stored(aWindow("night", { atEnd: "Finish" }))] },
    ],
    [
      "the window does not allow pre-caching",
      [9 * hour],
      { windows: [stored(aWindow("night", { allow: { preCaching: false } }))] },
    ],
    ["the window is invalid", [9 * hour], { windows: [stored(aWindow("night", { duration: "long" }))] }],
    ["the size is unknown", [0], {}],
  ] as const)("When %s, it should set no condition", ([, sizes, changes]) => {
    expect(conditionsIn(short(sizes, changes))).toHaveLength(1);
  });

  test("When a cluster may use several windows, the longest should count", () => {
    const windows = [night, stored(aWindow("long", { duration: "6h" }))];
    expect(
      short([5 * hour], { windows }).actions.map(({ object }) => Object(object.status).conditions.length),
    ).toEqual([1, 1]);
  });

  test("When many downloads are too long, it should name the ten longest and count the others", () => {
    const sizes = Array.from({ length: 12 }, (_, index) => (index + 3) * 2 * hour);
    const plan = short(sizes);
    const [, message = ""] = conditionsIn(plan);
    expect(message).toContain(
      ": sno11 of default/upgrade (14 openings), sno10 of default/upgrade (13 openings), ",
    );
    expect(message).toContain("and 2 more. A layer");
    expect(outcomesOf(plan)[0]?.data).toMatchObject({ clusterCount: 12 });
    expect(Object(outcomesOf(plan)[0]?.data).clusters).toHaveLength(10);
    const ten = short(sizes.slice(0, 10));
    expect(conditionsIn(ten)[1]).not.toContain("more. A layer");
  });
});

describe("any fleet", () => {
  const names = ["sno1", "sno2", "sno3", "sno4"];
  const kept = fc.constantFrom(
    { state: undefined, reason: undefined },
    { state: "PreparingToStart", reason: "Claimed" },
    { state: "Active", reason: "Pulling" },
    { state: "Starting", reason: "Suspended" },
    { state: "Succeeded", reason: "Completed" },
  );
  const snapshots = fc
    .record({
      clusters: fc.array(kept, { minLength: names.length, maxLength: names.length }),
      isNoon: fc.boolean(),
      atEnd: fc.constantFrom("Suspend", "Finish"),
    })
    .map(({ clusters, isNoon, atEnd }) => {
      const states = Object.fromEntries(
        clusters.flatMap(({ state }, index) => (state ? [[names[index] ?? "", state]] : [])),
      );
      const records = Object.fromEntries(
        clusters.flatMap(({ reason }, index) => (reason ? [[names[index] ?? "", { reason }]] : [])),
      );
      const cgu = anUpgrade(names, { states });
      return aSnapshot({
        upgrades: [cgu],
        reports: reportsFor(cgu, records),
        managedClusters: names.map((name) => aManagedCluster(name)),
        windows: [stored(aWindow("other", { atEnd })), stored(aWindow("wrong", { duration: "long" }))],
        now: isNoon ? noon : open,
      });
    });

  test("When a plan is applied, the next should change nothing", () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        expect(decide(afterwards(snapshot, decide(snapshot))).actions).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test("When lists are read in another order, each window should get the same status, and the same upgrades a message", () => {
    const shuffled = <Item>(items: readonly Item[]) =>
      fc.shuffledSubarray([...items], { minLength: items.length });
    const pairs = snapshots.chain((snapshot) =>
      fc
        .record({
          windows: shuffled(snapshot.windows),
          reports: shuffled(snapshot.reports),
          managedClusters: shuffled(snapshot.managedClusters),
        })
        .map((changes) => [snapshot, { ...snapshot, ...changes }] as const),
    );
    const sorted = (plan: Plan) => ({
      ...plan,
      actions: plan.actions.toSorted((a, b) => (a.object.metadata.name < b.object.metadata.name ? -1 : 1)),
    });
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [one, two] = [sorted(decide(a)), sorted(decide(b))];
        expect(two.actions).toEqual(one.actions);
        expect(two.sends).toEqual(one.sends);
      }),
      { numRuns: 30 },
    );
  });
});
