import { expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { aWindow, windowObject } from "./fixtures.ts";
import { windowAnnotation } from "./gate.ts";
import { allowedText, listWindow, namedWindowIssues, windowIssues } from "./validate-windows.ts";
import { wallClock } from "./zone.ts";

const now = new Date("2026-03-01T12:00:00Z");
const reported = (...objects: readonly KubernetesObject[]) =>
  windowIssues(objects, now).map(({ severity, code, path }) => `${severity} ${code} ${path}`);
const aCgu = (windows: string): KubernetesObject => ({
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  metadata: { namespace: "fleet", name: "upgrade", annotations: { [windowAnnotation]: windows } },
});
const aPool = (annotations: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "worker", annotations },
});
const freeze = (from: string, to: string, others = {}) => ({ exclusions: [{ from, to, ...others }] });

test.for<{ name: string; objects: readonly KubernetesObject[]; issues: readonly string[] }>([
  { name: "nothing is wrong", objects: [windowObject(), aCgu("night")], issues: [] },
  {
    name: "both day fields of a schedule are set",
    objects: [windowObject({ schedule: "0 2 1-7 * SAT" })],
    issues: ["warning EitherDay spec.schedule"],
  },
  {
    name: "a schedule is for the first Saturday, the last day, or days that are a Saturday as well",
    objects: ["0 2 * * SAT#1", "0 2 * * SAT#L", "0 2 L * *", "0 2 ? * SAT", "@weekly"].map((schedule) =>
      windowObject({ schedule }),
    ),
    issues: [],
  },
  {
    name: "openings follow each other, or overlap only when the clock is changed",
    objects: [
      { schedule: "0 0-4 * * *", duration: "1h" },
      { schedule: "0 1,3 * * *", duration: "2h" },
      { schedule: "0 0 * * *", duration: "24h" },
      { schedule: "0 2 * * SUN-SUN", duration: "6h" },
      { schedule: "0 22 */1 * FRI", duration: "30h" },
    ].map(windowObject),
    issues: [],
  },
  {
    name: "a freeze leaves no opening from now on",
    objects: [windowObject(freeze("2026-01-01", "9999-12-31"))],
    issues: ["error NeverOpens spec.exclusions"],
  },
  {
    name: "fields have other names",
    objects: [
      windowObject({
        timezone: "UTC",
        allow: { "max-cost": { worker: "reboot" } },
        ...freeze("2026-02-01", "2026-02-02", { why: "holidays" }),
      }),
    ],
    issues: [
      "warning UnknownField spec.timezone",
      "warning UnknownField spec.exclusions[0].why",
      "warning UnknownField spec.allow.max-cost",
    ],
  },
  {
    name: "named windows are missing from the objects or wrong",
    objects: [windowObject({ duration: "0h" }), aCgu("night, other/day"), aPool({ [windowAnnotation]: "x" })],
    issues: [
      "error InvalidDuration spec.duration",
      `warning WindowUnusable metadata.annotations["${windowAnnotation}"]`,
      `warning WindowMissing metadata.annotations["${windowAnnotation}"]`,
      `warning WindowMissing metadata.annotations["${windowAnnotation}"]`,
    ],
  },
  {
    name: "a pool's limit is no cost",
    objects: [aPool({ "hubrelay.dev/max-cost": "little" })],
    issues: ['error InvalidMaxCost metadata.annotations["hubrelay.dev/max-cost"]'],
  },
])("When $name, it should report $issues", ({ objects, issues }) => {
  expect(reported(...objects)).toEqual(issues);
});

test("When a named window is not on the hub, it should be an error with its name and the remedy", () => {
  expect(namedWindowIssues(aCgu("nigth"), [windowObject()])).toEqual([
    {
      code: "WindowMissing",
      severity: "error",
      object: { kind: "ClusterGroupUpgrade", namespace: "fleet", name: "upgrade" },
      path: `metadata.annotations["${windowAnnotation}"]`,
      value: "fleet/nigth",
      message: "No such MaintenanceWindow: fleet/nigth; it never opens",
      remedy:
        "Create it, or name others as NAME in the object's own namespace or NAMESPACE/NAME, separated by commas.",
    },
  ]);
});

test.for([
  ["0 2 1-7 * SAT", "For SAT only in these days, write * as day of month, and SAT#1 as day of week."],
  ["0 2 15-21 * 2,4", "For 2,4 only in these days, write * as day of month, and 2#3,4#3 as day of week."],
  ["0 2 1 * MON,TUE", "Write * in one of the two; SAT#1 is the first Saturday of a month, SAT#L the last."],
] as const)("When the schedule is %s, the remedy should be: %s", ([schedule, remedy]) => {
  const [issue] = windowIssues([windowObject({ schedule })], now);
  expect(issue).toMatchObject({ code: "EitherDay", remedy });
});

const from = "Openings overlap: it is open without a break from";
const always = "Each opening begins before or as the last one ends: it is open for ever";

test.for([
  [
    { schedule: "0 0-4 * * *", duration: "4h" },
    `${from} Mon 2026-03-02 00:00 to Mon 2026-03-02 08:00 Europe/Berlin, 8h instead of 4h`,
    "1h",
  ],
  [
    { schedule: "* 2 * * *", duration: "1h" },
    `${from} Mon 2026-03-02 02:00 to Mon 2026-03-02 03:59 Europe/Berlin, 1h59m instead of 1h`,
    "1m",
  ],
  [
    { schedule: "0 2 * * FRI,SAT", duration: "30h", timeZone: "UTC" },
    `${from} Fri 2026-03-06 02:00 to Sun 2026-03-08 08:00 UTC, 54h instead of 30h`,
    "24h",
  ],
  [{ schedule: "0 2 * * *", duration: "30h" }, always, "24h"],
  [{ schedule: "@hourly", duration: "1h", timeZone: "UTC" }, always, "1h"],
  [
    { schedule: "0 2 * * *", duration: "30h", exclusions: [{ from: "2026-03-01", to: "2026-03-31" }] },
    `${always} from Wed 2026-04-01 02:00 Europe/Berlin on`,
    "24h",
  ],
] as const)("When %s, one warning should say when it is really open", ([spec, message, gap]) => {
  expect(windowIssues([windowObject(spec)], now)).toEqual([
    expect.objectContaining({
      code: "OverlappingOpenings",
      severity: "warning",
      path: "spec.duration",
      value: spec.duration,
      message,
      remedy: expect.stringContaining(`starts that are ${gap} apart need a shorter one.`),
    }),
  ]);
});

test("When a window can be read, it should be listed with as many openings as requested", () => {
  const listed = listWindow(windowObject(), now, 2);
  expect(listed).toMatchObject({ namespace: "fleet", name: "night", issues: [], window: { name: "night" } });
  expect(listed.openings).toEqual([
    { start: new Date("2026-03-02T01:00:00Z"), end: new Date("2026-03-02T03:30:00Z") },
    { start: new Date("2026-03-03T01:00:00Z"), end: new Date("2026-03-03T03:30:00Z") },
  ]);
});

test("When a window is invalid, it should be listed without openings and with the reason", () => {
  expect(listWindow(windowObject({ duration: "0h" }), now, 2)).toEqual({
    namespace: "fleet",
    name: "night",
    openings: [],
    issues: [expect.objectContaining({ severity: "error", path: "spec.duration" })],
  });
});

test("When a window has a version that is not served, it should be listed without openings and with that alone", () => {
  const { issues, ...listed } = listWindow(
    { ...windowObject({ duration: "0h" }), apiVersion: "hubrelay.dev/v1" },
    now,
    2,
  );
  expect(listed).toEqual({ namespace: "fleet", name: "night", openings: [] });
  expect(issues.map(({ path }) => path)).toEqual(["apiVersion"]);
});

test.for([
  { allow: undefined, text: "pre-caching" },
  { allow: { preCaching: false }, text: "nothing" },
  {
    allow: { maxCost: { worker: "reboot", master: "drain" } },
    text: "pre-caching, worker: reboot, master: drain",
  },
  { allow: { preCaching: false, maxCost: { worker: "drain" } }, text: "worker: drain" },
])("When a window allows $allow, it should be shown as $text", ({ allow, text }) => {
  expect(allowedText(aWindow(allow ? { allow } : {}))).toBe(text);
});

test("When an instant is shown, it should be in the window's own zone, to the minute", () => {
  const { zone } = aWindow();
  expect(wallClock(zone, new Date("2026-03-29T01:00:59Z"))).toBe("Sun 2026-03-29 03:00");
});
