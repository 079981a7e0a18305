import { describe, expect, test } from "vitest";
import { aStoredUpgrade, reportsFor } from "../../../../test/support/precache/precache-snapshots.ts";
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
  const cgu = withStates(aStoredUpgrade(clusters, { annotations }), states);
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
  const oneFailed = anUpgradeIn({ sno1: "Succeeded", sno2: "PrecacheTimeout" }, soon);
  const allFailed = anUpgradeIn({ sno1: "UnrecoverableError", sno2: "PrecacheTimeout" }, soon);
  const begun = { ...enabled, spec: { ...Object(enabled.spec), enable: true } };

  test.for<readonly [what: string, cgu: KubernetesObject, step: string, reports?: KubernetesObject[]]>([
    ["every cluster has succeeded", enabled, "enable"],
    ["one has succeeded and the others have failed", oneFailed, "enable"],
    ["every cluster has failed", allFailed, "none"],
    ["nothing of this content is reported", enabled, "none", []],
    ["the rollout is not requested", anUpgradeIn(all, {}), "none"],
    ["the rollout is enabled", begun, "none"],
  ])("When $0, it should be: $2", ([, cgu, step, reports]) => {
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
const own = (names: string) => ({ "hubrelay.dev/maintenance-window": names });
const config = (names: string): KubernetesObject => {
  const { apiVersion, kind } = kinds.PreCachingConfig;
  return { apiVersion, kind, metadata: { namespace: "default", name: "config", annotations: own(names) } };
};
const at = (time: string) => `wait until 2026-03-01T${time}:00.000Z`;

describe("the windows of a rollout", () => {
  const [h12, h14, h15] = [hourFrom(12), hourFrom(14), hourFrom(15)];
  const noPreCaching = hourFrom(12, { allow: { preCaching: false } });
  const selecting = hourFrom(12, { clusterSelector: {} });
  const hours = { windows: [h12, h14] };
  test.for<
    readonly [what: string, value: string, named: string | undefined, Partial<WindowSources>, ...string[]]
  >([
    ["that of pre-caching is open", "window", "from12", { windows: [h12] }, "enable"],
    ["that allows no pre-caching", "window", "from12", { windows: [noPreCaching] }, "enable"],
    ["it names another", "window= from14 ", "from12", { ...hours, configs: [config("from12")] }, at("14:00")],
    ["it names none after the sign", "window= ", "from12", { windows: [h12] }, "enable"],
    ["several are closed", "window=from15,from14", undefined, { windows: [h14, h15] }, at("14:00")],
    [
      "its configuration names one",
      "window",
      undefined,
      { ...hours, configs: [config("from14")] },
      at("14:00"),
    ],
    ["one does not exist", "window=gone,from14", undefined, hours, at("14:00"), "EnableWindowMissing"],
    [
      "the named one is invalid",
      "window=from12",
      undefined,
      { windows: [hourFrom(12, { duration: "forever" })] },
      "none",
      "EnableWindowMissing",
    ],
    [
      "one only selects the clusters",
      "window",
      undefined,
      { windows: [selecting] },
      "none",
      "EnableWindowMissing",
    ],
  ])("When $0, it should be decided", ([, value, named, sources, ...expected]) => {
    const cgu = anUpgradeIn(all, { ...enableAt(value), ...(named ? own(named) : {}) });
    expect(decided(cgu, { sources: { ...noWindows, ...sources } })).toEqual(expected);
  });

  test.for([
    { value: "now", step: "enable" },
    { value: "2026-03-01T11:00:00Z", step: "none" },
    { value: "window=from12", step: "none" },
  ])(
    "When the clock is an hour ahead of the hub's and the annotation is $value, it should be: $step",
    ({ value, step }) => {
      const cgu = anUpgradeIn(all, enableAt(value));
      const from = { ...noWindows, windows: [value === "now" ? selecting : h12] };
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

  test.for<readonly [string, Partial<WindowSources>, string, string]>([
    [
      "window",
      {},
      "No window is named here or in the annotation hubrelay.dev/maintenance-window.",
      'Write "window=NAME" or "window=NAMESPACE/NAME".',
    ],
    [
      "window=fleet/gone",
      {},
      "fleet/gone: no such MaintenanceWindow; it stays closed.",
      "Create or correct the MaintenanceWindow, or name another one.",
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
