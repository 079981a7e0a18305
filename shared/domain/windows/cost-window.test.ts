import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { Cost } from "../plan/cost.ts";
import { costWindowsFor, costWindowText, waitedForAnnotation, waitingPools } from "./cost-window.ts";
import { windowObject } from "./fixtures.ts";
import { windowAnnotation } from "./gate.ts";
import { waitsForWindow } from "./hold-reasons.ts";

const pool = (name: string, windows?: string): KubernetesObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name, ...(windows ? { annotations: { [windowAnnotation]: windows } } : {}) },
});
const named = (name: string, maxCost: unknown, spec: Readonly<Record<string, unknown>> = {}) => ({
  ...windowObject({ timeZone: "UTC", allow: { maxCost }, ...spec }),
  metadata: { namespace: "fleet", name },
});
const night = named("night", { worker: "drain" });
const sunday = named("sunday", { worker: "reboot", master: "reboot" }, { schedule: "0 2 * * SUN" });
const long = named("long", { worker: "drain" }, { duration: "5h" });
const over = named("over", { worker: "reboot" }, { exclusions: [{ from: "2026-01-01", to: "9999-12-31" }] });
const broken = named("broken", { worker: "reboot" }, { duration: "0h" });
const other = named("other", undefined, { allow: undefined });

// 2 March 2026 is a Monday.
const noon = "2026-03-02T12:00:00Z";
const atNight = "2026-03-03T02:30:00Z";

describe("the window for a change that costs more than its pool allows", () => {
  const [nightly, sundays] = [
    "fleet/night, which opens at 2026-03-03T02:00:00Z",
    "fleet/sunday, which opens at 2026-03-08T02:00:00Z",
  ];
  const openNow = "fleet/night, which is open until 2026-03-03T04:30:00Z";
  const openLong = "fleet/long, which is open until 2026-03-03T07:00:00Z";
  const worker = pool("worker");
  const zulu = named("zulu", { worker: "drain" });
  const [onSunday, masterAtNight] = [pool("worker", "fleet/sunday"), pool("master", "fleet/night")];

  test.for<
    readonly [
      name: string,
      windows: readonly KubernetesObject[],
      text: string | undefined,
      now?: string,
      cost?: Cost,
      pool?: KubernetesObject,
    ]
  >([
    ["there is none", [], undefined],
    ["none is for mirrors", [other], undefined],
    ["none is for the pool", [night], undefined, noon, "drain", pool("master")],
    ["none allows so much", [night], undefined, noon, "reboot"],
    ["one is closed", [other, night], nightly],
    ["one is open", [night], openNow, atNight],
    ["two are closed", [sunday, night], nightly],
    ["only the later one allows so much", [night, sunday], sundays, noon, "reboot"],
    ["two are open", [night, long], openLong, atNight],
    ["one is open and one opens later", [sunday, night], openNow, atNight],
    ["two open together", [zulu, night], nightly],
    ["every opening is frozen", [over], "fleet/over, which never opens again"],
    ["one never opens and another does", [over, night], nightly],
    ["the pool names one", [night, sunday], sundays, noon, "drain", onSunday],
    ["the pool names one that is not for it", [night, sunday], undefined, noon, "drain", masterAtNight],
  ])("When $0, it should be $2", ([, windows, text, now = noon, cost = "drain", given = worker]) => {
    const found = costWindowsFor(given, cost, windows, { now: new Date(now) });
    expect(found.window && costWindowText(found.window)).toBe(text);
    expect(found.problems).toEqual([]);
  });

  test("When one is invalid, it should stay closed with a reason, and the others open", () => {
    const found = costWindowsFor(pool("worker"), "drain", [broken, night], { now: new Date(noon) });
    expect(found.window?.name).toBe("night");
    expect(found.problems).toEqual(["fleet/broken: spec.duration: A window of zero length never opens"]);
    const unaffected = costWindowsFor(pool("master"), "drain", [broken], { now: new Date(noon) });
    expect(unaffected.problems).toEqual([]);
  });

  test("When the clock disagrees with the hub's, a window that is open by it should not count, and the reason be the clock", () => {
    const clock = { now: new Date(atNight), clockAheadSeconds: 61 };
    expect(costWindowsFor(pool("worker"), "drain", [night], clock)).toEqual({
      window: undefined,
      problems: ["hubrelay's clock is more than 60 s ahead of the hub's: no maintenance window opens"],
    });
    expect(costWindowsFor(pool("master"), "drain", [night], clock).problems).toEqual([]);
  });

  test("When the pool names one that does not exist, it should wait, although another is open", () => {
    const found = costWindowsFor(pool("worker", "fleet/nigth"), "drain", [night], { now: new Date(atNight) });
    expect(found).toEqual({ window: undefined, problems: ["fleet/nigth: no such MaintenanceWindow"] });
  });
});

describe("the pools whose changes wait, by their Events", () => {
  const event = (
    pool: unknown,
    window: string | undefined,
    reason: string = waitsForWindow,
  ): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: "event",
      ...(window === undefined ? {} : { annotations: { [waitedForAnnotation]: window } }),
    },
    reason,
    involvedObject: pool,
  });
  const named = (name: string) => ({ kind: "MachineConfigPool", name });

  test("When pools wait for windows, each window should have its pools, once and sorted", () => {
    const events = [
      event(named("worker"), "fleet/night"),
      event(named("infra"), "fleet/night"),
      event(named("worker"), "fleet/night"),
      event(named("worker"), "fleet/sunday"),
    ];
    expect(Object.fromEntries(waitingPools(events))).toEqual({
      "fleet/night": ["infra", "worker"],
      "fleet/sunday": ["worker"],
    });
  });

  test.for([
    { what: "has another reason", given: event(named("worker"), "fleet/night", "MirrorsRendered") },
    { what: "names no window", given: event(named("worker"), undefined) },
    { what: "is about nothing", given: event("worker", "fleet/night") },
    { what: "is about another kind", given: event({ kind: "Node", name: "worker" }, "fleet/night") },
  ])("When an Event $what, no pool should wait", ({ given }) => {
    expect(waitingPools([given])).toEqual(new Map());
  });
});
