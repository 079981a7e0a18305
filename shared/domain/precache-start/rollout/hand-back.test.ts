import { describe, expect, test } from "vitest";
import { anUpgrade, reportsFor } from "../../../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../../../test/support/precache/precache-windows.ts";
import { type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { storedConditions, withUpgradeCondition } from "../../precache-model/conditions.ts";
import { withStates } from "../../precache-model/planned-upgrade.ts";
import { precachingSucceeded, tallyOf } from "../../precache-progress/roll-up.ts";
import { noWindows, type WindowSources } from "../cluster-gates.ts";
import { handBack, handBackClockIssues, isToHandBack } from "./hand-back.ts";

const now = new Date("2026-03-01T12:00:00Z");
const enableAt = (value: string) => ({ "hubrelay.dev/enable-after-precaching": value });
const all = { sno1: "Succeeded", sno2: "Succeeded" };

/** An upgrade of two clusters in these states, as precache-status writes it. */
function anUpgradeIn(
  states: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
): KubernetesObject {
  const clusters = ["sno1", "sno2"];
  const cgu = withStates(anUpgrade(clusters, { annotations }), states);
  const condition = precachingSucceeded(tallyOf(clusters, states));
  return withStates(cgu, states, withUpgradeCondition(storedConditions(cgu.status), condition, now));
}

/** What is decided, as text, and the codes of issues. */
function decided(
  cgu: KubernetesObject,
  { sources = noWindows, at = now, ahead = 0, reports = reportsFor(cgu, { sno1: {}, sno2: {} }) } = {},
): readonly string[] {
  const next = handBack(cgu, reports, sources, { now: at, clockAheadSeconds: ahead });
  const until = next.step === "wait" ? ` until ${next.until.toISOString()}` : "";
  return [`${next.step}${until}`, ...next.issues.map(({ code }) => code)];
}

describe("when pre-caching is done", () => {
  test.for<readonly [string, ...string[]]>([
    ["now", "enable"],
    ["2026-03-01T11:59:59Z", "enable"],
    ["2026-03-01T12:00:00Z", "enable"],
    ["2026-03-01T12:00:01Z", "wait until 2026-03-01T12:00:01.000Z"],
    ["2026-03-01T13:30:00+01:00", "wait until 2026-03-01T12:30:00.000Z"],
    ["2026-03-01T07:30:00.5-05:00", "wait until 2026-03-01T12:30:00.500Z"],
    ["", "none", "EnableTimeInvalid"],
    ["tomorrow", "none", "EnableTimeInvalid"],
    ["windows", "none", "EnableTimeInvalid"],
    ["a window", "none", "EnableTimeInvalid"],
    ["2026-03-01", "none", "EnableTimeInvalid"],
    ["2026-03-01T12:00:00", "none", "EnableTimeInvalid"],
    ["2026-03-01T12:00Z", "none", "EnableTimeInvalid"],
    ["at 2026-03-01T12:00:00Z", "none", "EnableTimeInvalid"],
    ["2026-03-01T12:00:00Z or later", "none", "EnableTimeInvalid"],
    ["2026-13-01T12:00:00Z", "none", "EnableTimeInvalid"],
    ["2026-02-30T12:00:00Z", "none", "EnableTimeInvalid"],
    ["2026-02-28T24:00:00Z", "none", "EnableTimeInvalid"],
    ["window", "none", "EnableWindowMissing"],
    ["window=", "none", "EnableWindowMissing"],
    ["window=night", "none", "EnableWindowMissing"],
  ])("When the annotation is %j, it should be: %s", ([value, ...expected]) => {
    expect(decided(anUpgradeIn(all, enableAt(value)))).toEqual(expected);
  });

  test("When the value cannot be read, the issue should name it and what to write", () => {
    const { issues } = handBack(anUpgradeIn(all, enableAt("soon")), [], noWindows, { now });
    expect(issues).toMatchObject([
      {
        severity: "error",
        path: 'metadata.annotations["hubrelay.dev/enable-after-precaching"]',
        value: "soon",
        message: "The value is neither now, nor a time, nor a window.",
        remedy: 'Write "now", a time such as 2026-03-02T01:00:00Z, "window" or "window=NAME".',
      },
    ]);
  });
});

describe("whether pre-caching is done", () => {
  const soon = enableAt("now");
  const enabled = anUpgradeIn(all, soon);
  test.for([
    { what: "every cluster has succeeded", cgu: anUpgradeIn(all, soon), step: "enable" },
    {
      what: "one has succeeded and the others have failed",
      cgu: anUpgradeIn({ sno1: "Succeeded", sno2: "PrecacheTimeout" }, soon),
      step: "enable",
    },
    {
      what: "every cluster has failed",
      cgu: anUpgradeIn({ sno1: "UnrecoverableError", sno2: "PrecacheTimeout" }, soon),
      step: "none",
    },
    { what: "nothing of this content is reported", cgu: enabled, reports: [], step: "none" },
    { what: "the rollout is not requested", cgu: anUpgradeIn(all, {}), step: "none" },
    {
      what: "the rollout is enabled",
      cgu: { ...enabled, spec: { ...Object(enabled.spec), enable: true } },
      step: "none",
    },
  ])("When $what, it should be: $step", ({ cgu, reports, step }) => {
    expect(decided(cgu, reports ? { reports } : {})).toEqual([step]);
    if (step === "enable") expect(isToHandBack(cgu)).toBe(true);
  });

  test("When the rollout is not requested, or nothing says that pre-caching is done, nothing should be read for it", () => {
    expect(isToHandBack(anUpgradeIn(all, {}))).toBe(false);
    expect(isToHandBack({ ...enabled, status: {} })).toBe(false);
  });
});

/** A window of one hour a day. */
const hourFrom = (hour: number, spec: Readonly<Record<string, unknown>> = {}): KubernetesObject =>
  aWindow(`from${hour}`, {
    schedule: `0 ${hour} * * *`,
    duration: "1h",
    clusterSelector: undefined,
    ...spec,
  });
const forSite = (hour: number, site: string): KubernetesObject =>
  hourFrom(hour, { clusterSelector: { matchLabels: { site } } });
const own = (names: string) => ({ "hubrelay.dev/maintenance-window": names });
const config = (names: string): KubernetesObject => {
  const { apiVersion, kind } = kinds.PreCachingConfig;
  return { apiVersion, kind, metadata: { namespace: "default", name: "config", annotations: own(names) } };
};
const atSites = (...sites: readonly string[]): readonly KubernetesObject[] =>
  sites.map((site, index) => {
    const { apiVersion, kind } = kinds.ManagedCluster;
    return { apiVersion, kind, metadata: { name: `sno${index + 1}`, labels: { site } } };
  });

type Case = Readonly<{
  what: string;
  value?: string;
  annotations?: Readonly<Record<string, string>>;
  states?: Readonly<Record<string, string>>;
  sources: Partial<WindowSources>;
  decided: readonly string[];
}>;

describe("the windows of a rollout", () => {
  test.for<Case>([
    {
      what: "that of pre-caching is open",
      annotations: own("from12"),
      sources: { windows: [hourFrom(12)] },
      decided: ["enable"],
    },
    {
      what: "that of pre-caching allows no pre-caching",
      annotations: own("from12"),
      sources: { windows: [hourFrom(12, { allow: { preCaching: false } })] },
      decided: ["enable"],
    },
    {
      what: "the rollout names another one",
      value: "window= from14 ",
      annotations: own("from12"),
      sources: { windows: [hourFrom(12), hourFrom(14)], configs: [config("from12")] },
      decided: ["wait until 2026-03-01T14:00:00.000Z"],
    },
    {
      what: "the rollout names none after the equals sign",
      value: "window= ",
      annotations: own("from12"),
      sources: { windows: [hourFrom(12)] },
      decided: ["enable"],
    },
    {
      what: "several named ones are closed",
      value: "window=from15,from14",
      sources: { windows: [hourFrom(14), hourFrom(15)] },
      decided: ["wait until 2026-03-01T14:00:00.000Z"],
    },
    {
      what: "its PreCachingConfig names one",
      sources: { windows: [hourFrom(12), hourFrom(14)], configs: [config("from14")] },
      decided: ["wait until 2026-03-01T14:00:00.000Z"],
    },
    {
      what: "one of the named ones does not exist",
      value: "window=gone,from14",
      sources: { windows: [hourFrom(14)] },
      decided: ["wait until 2026-03-01T14:00:00.000Z", "EnableWindowMissing"],
    },
    {
      what: "the named one is invalid",
      value: "window=from12",
      sources: { windows: [hourFrom(12, { duration: "forever" })] },
      decided: ["none", "EnableWindowMissing"],
    },
    {
      what: "none selects the second cluster",
      sources: { windows: [forSite(14, "a")], managedClusters: atSites("a", "b") },
      decided: ["wait until 2026-03-01T14:00:00.000Z"],
    },
    {
      what: "that of the second cluster opens later in the same hours",
      sources: {
        windows: [
          hourFrom(12, { duration: "4h", clusterSelector: { matchLabels: { site: "a" } } }),
          forSite(15, "b"),
        ],
        managedClusters: atSites("a", "b"),
      },
      decided: ["wait until 2026-03-01T15:00:00.000Z"],
    },
    {
      what: "those of the clusters are open together only on Sundays",
      sources: {
        windows: [
          forSite(14, "a"),
          aWindow("sundays", { schedule: "30 14 * * 0", clusterSelector: { matchLabels: { site: "b" } } }),
          hourFrom(16, { clusterSelector: { matchLabels: { site: "b" } } }),
        ],
        managedClusters: atSites("a", "b"),
      },
      decided: ["wait until 2026-03-01T14:30:00.000Z"],
    },
    {
      what: "those of the clusters are never open together",
      sources: { windows: [forSite(12, "a"), forSite(14, "b")], managedClusters: atSites("a", "b") },
      decided: ["none", "EnableWindowsApart"],
    },
    {
      what: "the coming openings of the second cluster's are all excluded",
      sources: {
        windows: [
          hourFrom(12, { clusterSelector: { matchLabels: { site: "a" } } }),
          hourFrom(13, {
            exclusions: [{ from: "2026-01-01", to: "2099-12-31" }],
            clusterSelector: { matchLabels: { site: "b" } },
          }),
        ],
        managedClusters: atSites("a", "b"),
      },
      decided: ["none", "EnableWindowsApart"],
    },
    {
      what: "the cluster whose window is closed has failed",
      states: { sno1: "Succeeded", sno2: "PrecacheTimeout" },
      sources: { windows: [forSite(12, "a"), forSite(14, "b")], managedClusters: atSites("a", "b") },
      decided: ["enable"],
    },
    {
      what: "one selects a cluster that still pulls",
      states: { sno1: "Active" },
      sources: { windows: [forSite(12, "a")], managedClusters: atSites("a", "a") },
      decided: ["none"],
    },
    {
      what: "those of clusters that wait are never open together",
      states: {},
      sources: { windows: [forSite(12, "a"), forSite(14, "b")], managedClusters: atSites("a", "b") },
      decided: ["none", "EnableWindowsApart"],
    },
    {
      what: "one selects no cluster of the upgrade",
      sources: { windows: [forSite(12, "c")], managedClusters: atSites("a", "b", "c") },
      decided: ["none", "EnableWindowMissing"],
    },
  ])(
    "When $what, it should be: $decided",
    ({ value = "window", annotations, states, sources, ...expected }) => {
      const cgu = anUpgradeIn(states ?? all, { ...enableAt(value), ...annotations });
      expect(decided(cgu, { sources: { ...noWindows, ...sources } })).toEqual(expected.decided);
    },
  );

  test.for([
    { value: "now", step: "enable" },
    { value: "2026-03-01T11:00:00Z", step: "none" },
    { value: "window", step: "none" },
  ])(
    "When the clock is an hour ahead of the hub's and the annotation is $value, it should be: $step",
    ({ value, step }) => {
      const sources = { windows: [forSite(12, "a"), forSite(12, "b")], managedClusters: atSites("a", "b") };
      const cgu = anUpgradeIn(all, enableAt(value));
      const from = { ...noWindows, ...sources };
      expect(decided(cgu, { sources: from, ahead: 3600 })).toEqual([step]);
      expect(handBackClockIssues(cgu, from, { now, clockAheadSeconds: 3600 })).toMatchObject([
        { code: "ClockDiffers", object: { name: cgu.metadata.name } },
      ]);
      expect(decided(cgu, { sources: from })).toEqual(["enable"]);
      expect(handBackClockIssues(cgu, from, { now })).toEqual([]);
    },
  );

  test("When nothing waits for a window or a time, the clock should not matter", () => {
    const clock = { now, clockAheadSeconds: 3600 };
    expect(handBackClockIssues(anUpgradeIn(all, enableAt("now")), noWindows, clock)).toEqual([]);
  });

  test("When it is not known yet which clusters are pre-cached, no window should be missing", () => {
    const { status: _status, ...unplanned } = anUpgradeIn({}, enableAt("window"));
    expect(decided(unplanned, { reports: [] })).toEqual(["none"]);
    const named = anUpgradeIn({}, enableAt("window=gone"));
    expect(decided({ ...named, status: {} }, { reports: [] })).toEqual(["none", "EnableWindowMissing"]);
  });

  test.for<readonly [string, Partial<WindowSources>, string, string]>([
    [
      "window",
      {},
      "No window is named here or in the annotation hubrelay.dev/maintenance-window, and none selects its clusters.",
      'Write "window=NAME" or "window=NAMESPACE/NAME".',
    ],
    [
      "window=fleet/gone",
      {},
      "fleet/gone stays closed: no such MaintenanceWindow.",
      "Create or correct the MaintenanceWindow, or name another one.",
    ],
    [
      "window",
      { windows: [forSite(12, "a"), forSite(13, "a"), forSite(16, "b")], managedClusters: atSites("a", "b") },
      "The windows of its clusters are not open at the same time in the coming openings: default/from12 or default/from13; default/from16.",
      'Write "window=NAME", or create a ClusterGroupUpgrade for the clusters of each window.',
    ],
  ])(
    "When the annotation is %j and the rollout cannot start, the issue should say why",
    ([value, sources, message, remedy]) => {
      const cgu = anUpgradeIn(all, enableAt(value));
      const { issues } = handBack(cgu, [], { ...noWindows, ...sources }, { now });
      expect(issues).toMatchObject([{ message, remedy, value }]);
    },
  );
});
