import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { windowObject } from "./fixtures.ts";
import {
  annotatedWindows,
  gateAt,
  gatekeeper,
  namedWindows,
  needsLabels,
  openingFinder,
  selectedWindows,
  windowAnnotation,
} from "./gate.ts";

const named = (name: string, spec: Readonly<Record<string, unknown>> = {}): KubernetesObject => ({
  ...windowObject(spec),
  metadata: { namespace: "fleet", name },
});
const anObject = (windows?: string): KubernetesObject => ({
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  metadata: {
    namespace: "fleet",
    name: "upgrade",
    ...(windows === undefined ? {} : { annotations: { [windowAnnotation]: windows } }),
  },
});
const all = namedWindows([
  named("night"),
  named("west", { clusterSelector: { matchLabels: { site: "west" } } }),
  named("any", { clusterSelector: {} }),
  named("broken", { duration: "0h" }),
  named("brokenEast", { duration: "0h", clusterSelector: { matchLabels: { site: "east" } } }),
  named("unclear", { clusterSelector: { matchLabels: ["site"] } }),
]);
const names = (windows: readonly { name: string }[] | undefined) => windows?.map(({ name }) => name);
const gate = (windows: readonly KubernetesObject[], now: string) =>
  gateAt(namedWindows(windows), ({ allow }) => allow.preCaching, { now: new Date(now) });

describe("a clock that disagrees with the hub's", () => {
  const byClock = (atEnd: string, time: string, clockAheadSeconds: number) =>
    gateAt(namedWindows([named("night", { atEnd })]), () => true, { now: new Date(time), clockAheadSeconds });
  const ahead = "hubrelay's clock is more than 60 s ahead of the hub's: no maintenance window opens";
  const behind = "hubrelay's clock is more than 60 s behind the hub's: no maintenance window opens";

  // The night is from 01:00 to 03:30 UTC.
  test.for([
    { time: "02:00", seconds: 60, found: { isOpen: true } },
    { time: "02:00", seconds: -60, found: { isOpen: true } },
    { time: "01:30", seconds: 3_000, found: { isOpen: false, atEnd: "Suspend", reason: ahead } },
    { time: "04:00", seconds: 3_000, found: { isOpen: false, atEnd: "Finish", reason: ahead } },
    { time: "03:00", seconds: -3_000, found: { isOpen: false, atEnd: "Suspend", reason: behind } },
    { time: "00:30", seconds: -3_000, found: { isOpen: false, atEnd: "Finish", reason: behind } },
    { time: "02:00", seconds: 61, found: { isOpen: false, atEnd: "Finish", reason: ahead } },
  ])(
    "When it is $time and $seconds s ahead, the gate should be $found.isOpen, and what runs go on by the hub's time",
    ({ time, seconds, found }) => {
      expect(byClock("Suspend", `2026-02-01T${time}:00Z`, seconds)).toMatchObject(found);
    },
  );
});

test("When a window never closes, it should be open without an end that a download would have to fit in", () => {
  const windows = [named("night", { duration: "30h" }), named("day", { schedule: "0 12 * * *" })];
  expect(gate(windows, "2026-02-01T12:00:00Z")).toEqual({
    windows: ["fleet/night", "fleet/day"],
    isOpen: true,
    atEnd: "Suspend",
  });
});

describe("which windows apply to an object", () => {
  test.for([
    { annotation: undefined, windows: undefined },
    { annotation: " , ", windows: undefined },
    { annotation: "night", windows: ["night"] },
    { annotation: "fleet/night, west", windows: ["night", "west"] },
  ])("When it is annotated with $annotation, it should be $windows", ({ annotation, windows }) => {
    expect(names(annotatedWindows(anObject(annotation), all))).toEqual(windows);
  });

  test("When an annotation names a missing window, the window should stay closed", () => {
    const windows = annotatedWindows(anObject("other/night"), all) ?? [];
    expect(gateAt(windows, () => true, { now: new Date("2026-02-01T02:00:00Z") })).toMatchObject({
      isOpen: false,
      reason: "other/night is closed for good; other/night: no such MaintenanceWindow",
    });
  });

  test.for([
    { labels: { site: "west" }, windows: ["west", "any", "unclear"] },
    { labels: { site: "east" }, windows: ["any", "brokenEast", "unclear"] },
    { labels: undefined, windows: ["any", "unclear"] },
  ])(
    "When a cluster has the labels $labels, those that select it should be $windows",
    ({ labels, windows }) => {
      expect(names(selectedWindows(labels, all))).toEqual(windows);
    },
  );
});

describe("whether something may happen", () => {
  test("When there is no window, it should be allowed at any time", () => {
    expect(gate([], "2026-02-01T12:00:00Z")).toEqual({ windows: [], isOpen: true, atEnd: "Finish" });
  });

  test("When the window is open, it should be allowed until the window closes", () => {
    expect(gate([named("night")], "2026-02-01T02:00:00Z")).toEqual({
      windows: ["fleet/night"],
      isOpen: true,
      opening: { start: new Date("2026-02-01T01:00:00Z"), end: new Date("2026-02-01T03:30:00Z") },
      atEnd: "Suspend",
    });
  });

  test("When the window is closed, it should return when it opens", () => {
    expect(gate([named("night")], "2026-02-01T12:00:00Z")).toEqual({
      windows: ["fleet/night"],
      atEnd: "Suspend",
      isOpen: false,
      opensAt: new Date("2026-02-02T01:00:00Z"),
      reason: "fleet/night is closed until 2026-02-02T01:00:00Z",
    });
  });

  test("When several windows are open, the one that closes last should count", () => {
    const windows = [named("night"), named("long", { duration: "5h", atEnd: "Finish" })];
    expect(gate(windows, "2026-02-01T02:00:00Z")).toMatchObject({
      isOpen: true,
      opening: { start: new Date("2026-02-01T01:00:00Z"), end: new Date("2026-02-01T06:00:00Z") },
      atEnd: "Finish",
    });
  });

  test("When one of several windows cannot be read, the others should still open", () => {
    const windows = [named("broken", { duration: "0h" }), named("night")];
    expect(gate(windows, "2026-02-01T02:00:00Z")).toMatchObject({ isOpen: true });
    expect(gate(windows, "2026-02-01T12:00:00Z")).toMatchObject({
      isOpen: false,
      opensAt: new Date("2026-02-02T01:00:00Z"),
      reason: expect.stringContaining("fleet/broken: spec.duration: A window of zero length never opens"),
    });
  });

  test("When several windows are closed, the reason should name all, and the time when the first opens", () => {
    const windows = [named("night"), named("evening", { schedule: "0 20 * * *" })];
    expect(gate(windows, "2026-02-01T12:00:00Z")).toMatchObject({
      opensAt: new Date("2026-02-01T19:00:00Z"),
      reason: "fleet/night, fleet/evening are closed until 2026-02-01T19:00:00Z",
    });
  });

  test("When the only open window is for something else, it should not be allowed", () => {
    expect(gate([named("night", { allow: { preCaching: false } })], "2026-02-01T02:00:00Z")).toEqual({
      windows: ["fleet/night"],
      atEnd: "Suspend",
      isOpen: false,
      reason: "fleet/night is closed for good",
    });
  });
});

describe("the gate for many objects", () => {
  const windows = [
    named("night"),
    named("west", { schedule: "0 20 * * *", clusterSelector: { matchLabels: { site: "west" } } }),
    named("broken", { duration: "0h" }),
  ];
  const now = new Date("2026-02-01T12:00:00Z");
  const west = { site: "west" };

  test.for([
    ["the first names one", [anObject("night"), anObject("west")], ["fleet/night"]],
    ["only the second names one", [anObject(), anObject("night")], ["fleet/night"]],
    ["none names one", [anObject(), anObject()], ["fleet/west"]],
    ["there is none", [], ["fleet/west"]],
  ] as const)("When of the objects $0, $2 should decide", ([, referrers, chosen]) => {
    const gateOf = gatekeeper(windows, ({ allow }) => allow.preCaching, { now });
    expect(gateOf(referrers, west).windows).toEqual(chosen);
    expect(gateOf(referrers, west)).toBe(gateOf([...referrers], { ...west }));
  });

  test("When only an invalid window selects a cluster, it should stay closed for it", () => {
    const broken = named("broken", { timeZone: "Europe/Berln", clusterSelector: {} });
    expect(gatekeeper([broken], () => true, { now })([], west)).toMatchObject({
      isOpen: false,
      reason: "fleet/broken is closed for good; fleet/broken: spec.timeZone: Unknown time zone: Europe/Berln",
    });
    expect(openingFinder([broken], now)([], west)).toBeUndefined();
  });

  test("When a window does not allow it, its next opening should be found, but the gate stay closed", () => {
    expect(gatekeeper(windows, () => false, { now })([], west)).toMatchObject({ isOpen: false });
    const nextOf = openingFinder(windows, now);
    expect(nextOf([], west)).toEqual(new Date("2026-02-01T19:00:00Z"));
    expect(nextOf([anObject("night, west")], undefined)).toEqual(new Date("2026-02-01T19:00:00Z"));
    expect(nextOf([anObject("broken")], west)).toBeUndefined();
    expect(nextOf([], undefined)).toBeUndefined();
  });

  const broken = named("broken", { duration: "0h", clusterSelector: {} });
  const two = [anObject(), anObject("night")];
  test.for<readonly [string, readonly KubernetesObject[], readonly KubernetesObject[], boolean]>([
    ["a window selects clusters", windows, [anObject()], true],
    ["an object names windows", windows, two, false],
    ["no window selects clusters", [named("night")], [anObject()], false],
    ["only an invalid window selects clusters", [broken], [], true],
  ])("When $0, labels should be needed: $3", ([, objects, referrers, needed]) => {
    expect(Boolean(needsLabels(objects, referrers))).toBe(needed);
  });
});

test("When a window has warnings as well, only errors should say why it stays closed", () => {
  const [window] = namedWindows([named("broken", { duration: "0h", colour: "red" })]);
  expect(window).toMatchObject({ problem: "spec.duration: A window of zero length never opens" });
});
