import { describe, expect, test } from "vitest";
import { readDuration } from "./duration.ts";
import { aWindow, windowObject } from "./fixtures.ts";
import { readMaintenanceWindow } from "./maintenance-window.ts";

describe("durations", () => {
  test.for(["", "2", "1d", "h", "-1h", "2h 30m", "1,5h"])(
    "When a text is '%s', it should be no duration",
    (text) => {
      expect(readDuration(text)).toBeUndefined();
    },
  );
});

describe("a MaintenanceWindow", () => {
  test("When only the required fields are set, it should let pre-caching in, and suspend it at the end", () => {
    const window = aWindow();
    expect(window).toMatchObject({ namespace: "fleet", name: "night", duration: 9_000_000, exclusions: [] });
    expect(window).toMatchObject({ allow: { preCaching: true, maxCost: new Map() }, atEnd: "Suspend" });
  });

  test("When every field is set, it should have them all", () => {
    expect(
      aWindow({
        exclusions: [{ from: "2026-12-24", to: "2027-01-06", reason: "holidays" }],
        allow: { preCaching: false, maxCost: { worker: "reboot", "infra.large": "drain" } },
        atEnd: "Finish",
      }),
    ).toMatchObject({
      exclusions: [{ from: "2026-12-24", to: "2027-01-06", reason: "holidays" }],
      allow: {
        preCaching: false,
        maxCost: new Map([
          ["worker", "reboot"],
          ["infra.large", "drain"],
        ]),
      },
      atEnd: "Finish",
    });
  });

  const schedules = [
    ...[
      "0 0 2 * * *",
      "61 2 * * *",
      "2026-12-24T02:00:00",
      "@reboot",
      "/10 2 * * *",
      "@every 1h",
      "0 2 15W * *",
      "0 2 LW * *",
    ],
    ...["0 2 * * 5L", "0 2 1-7 * +SAT"],
    ...["CRON_TZ=UTC 0 2 * * *", "TZ=UTC @daily", "0 2 * * FRI-WED", "0 2 *-5 * *", "0 2 * * SUN#6"],
  ];
  const timeZones = ["Mars/Phobos", "+02:00", "BST", "IST", "ART", "CST", "bst", "SystemV/AST4"];
  const durations = ["1d", "-1h", "8785h", "99999999999h"];

  test.for<readonly [spec: Readonly<Record<string, unknown>>, code: string, path: string]>([
    ...schedules.map((schedule) => [{ schedule }, "InvalidSchedule", "schedule"] as const),
    ...timeZones.map((timeZone) => [{ timeZone }, "UnknownTimeZone", "timeZone"] as const),
    ...durations.map((duration) => [{ duration }, "InvalidDuration", "duration"] as const),
    [{ clusterSelector: null }, "InvalidSelector", "clusterSelector"],
    [{ allow: { maxCost: { "infra.large": null } } }, "InvalidMaxCost", 'allow.maxCost["infra.large"]'],
  ])("When it has $0, it should be refused at $2 ($1)", ([spec, code, path]) => {
    const { window, issues } = readMaintenanceWindow(windowObject(spec));
    expect(window).toBeUndefined();
    expect(issues).toEqual([expect.objectContaining({ code, path: `spec.${path}`, severity: "error" })]);
  });

  test.for([
    ["0 2 32 * *", "Invalid value for day: 32"],
    ["0 2 0 * *", "Invalid value for day: 0"],
    ["0 2 * 13 *", "Invalid value for month: 13"],
    ["0 24 * * *", "Invalid value for hour: 24"],
    ["/10 2 * * *", "/10 has no start value; for a step from the start of the range write */10"],
  ])("When the schedule is %s, the issue should say '%s'", ([schedule, message]) => {
    const { issues } = readMaintenanceWindow(windowObject({ schedule }));
    expect(issues).toMatchObject([{ value: schedule, message }]);
  });

  test("When it has several errors, each should be reported", () => {
    const { issues } = readMaintenanceWindow(windowObject({ schedule: "x", timeZone: "y", duration: "z" }));
    expect(issues.map(({ path }) => path)).toEqual(["spec.schedule", "spec.timeZone", "spec.duration"]);
  });

  test("When its other fields are wrong, its selector should still be read: their clusters wait for it", () => {
    const selector = { matchLabels: { site: "west" } };
    const spec = { schedule: "x", clusterSelector: selector };
    const selected = [{ key: "site", operator: "In", values: ["west"] }];
    expect(readMaintenanceWindow(windowObject(spec))).toMatchObject({ clusterSelector: selected });
  });
});

/** The errors of a window whose spec is this, each as one line. */
const errorsOf = (spec: unknown) => {
  const { window, issues } = readMaintenanceWindow({ ...windowObject(), spec });
  expect(window).toBeUndefined();
  return issues.map(({ code, path, message, remedy }) => `${code} ${path}: ${message}. Fix: ${remedy}`);
};

test.for<readonly [what: string, spec: Readonly<Record<string, unknown>>, text: string]>([
  [
    "the schedule is missing",
    { schedule: undefined },
    'MissingField spec.schedule: spec.schedule is missing. Fix: Set it, e.g. "0 2 * * SAT" for Saturdays at two.',
  ],
  [
    "the schedule is a number",
    { schedule: 1 },
    'InvalidType spec.schedule: spec.schedule must be a text such as "0 2 * * SAT" for Saturdays at two, but is a number. Fix: Write spec.schedule as a text such as "0 2 * * SAT" for Saturdays at two.',
  ],
  [
    "the schedule is a day that never comes",
    { schedule: "0 2 30 2 *" },
    'NeverOpens spec.schedule: No calendar has such a day, so the window never opens. Fix: Give minute, hour, day of month, month and day of week, e.g. "0 2 * * SAT" for Saturdays at two.',
  ],
  [
    "the schedule has four fields",
    { schedule: "0 2 * *" },
    'InvalidSchedule spec.schedule: A schedule has five fields, this has 4. Fix: Give minute, hour, day of month, month and day of week, e.g. "0 2 * * SAT" for Saturdays at two.',
  ],
  [
    "the schedule has a credential, of which the library quotes a part",
    { schedule: "docker login --password DhdY1e3JanI7pFg34Bta61i9WB quay.io" },
    'InvalidSchedule spec.schedule: It is not a cron expression. Fix: Give minute, hour, day of month, month and day of week, e.g. "0 2 * * SAT" for Saturdays at two.',
  ],
  [
    "the schedule has a time zone",
    { schedule: "CRON_TZ=America/Winnipeg 0 2 * * *" },
    "InvalidSchedule spec.schedule: A schedule has no time zone of its own. Fix: Set spec.timeZone, e.g. to America/Winnipeg, and leave only the five fields in spec.schedule.",
  ],
  [
    "the time zone is missing",
    { timeZone: undefined },
    "MissingField spec.timeZone: spec.timeZone is missing. Fix: Set it, e.g. Europe/Berlin.",
  ],
  [
    "the time zone is unknown",
    { timeZone: "Berlin" },
    "UnknownTimeZone spec.timeZone: Unknown time zone: Berlin. Fix: Use a name from the IANA time zone database, e.g. Europe/Berlin or UTC.",
  ],
  [
    "the duration is no duration",
    { duration: "two hours" },
    'InvalidDuration spec.duration: "a text of 9 characters" is not a duration. Fix: Give hours and minutes, e.g. 2h30m.',
  ],
  [
    "the duration is longer than a leap year",
    { duration: "8784h1s" },
    "InvalidDuration spec.duration: A window cannot be longer than a year. Fix: Give 8784h or less.",
  ],
  [
    "the duration is zero",
    { duration: "0h" },
    "InvalidDuration spec.duration: A window of zero length never opens. Fix: Give hours and minutes, e.g. 2h30m.",
  ],
  [
    "the exclusions are a number",
    { exclusions: 1 },
    "InvalidType spec.exclusions: spec.exclusions must be a list, but is a number. Fix: Write spec.exclusions as a list.",
  ],
  [
    "an exclusion is a date",
    { exclusions: ["2026-01-01"] },
    "InvalidType spec.exclusions[0]: spec.exclusions[0] must be an object with from and to, but is a string. Fix: Write spec.exclusions[0] as an object with from and to.",
  ],
  [
    "an exclusion ends before it begins",
    { exclusions: [{ from: "2026-03-02", to: "2026-03-01" }] },
    "InvalidDate spec.exclusions[0].to: The freeze ends on 2026-03-01, before it begins on 2026-03-02. Fix: Swap the two dates.",
  ],
  [
    "the selector has an unknown field",
    { clusterSelector: { labels: {} } },
    "InvalidSelector spec.clusterSelector.labels: A selector has no such field. Fix: Give matchLabels and matchExpressions as Kubernetes has them; {} is every cluster.",
  ],
  [
    "pre-caching is text",
    { allow: { preCaching: "yes" } },
    "InvalidType spec.allow.preCaching: spec.allow.preCaching must be true or false, but is a string. Fix: Write spec.allow.preCaching as true or false.",
  ],
  [
    "a cost is unknown",
    { allow: { maxCost: { worker: "much" } } },
    'InvalidMaxCost spec.allow.maxCost.worker: "much" is not a cost. Fix: Write one of none, reload, drain, reboot, replace.',
  ],
  [
    "the end is unknown",
    { atEnd: "Stop" },
    "InvalidEnd spec.atEnd: Unknown value for atEnd. Fix: Give Suspend or Finish.",
  ],
])("When $0, the one error should say where, what and how to fix it", ([, spec, text]) => {
  expect(errorsOf(windowObject(spec).spec)).toEqual([text]);
});

test("When there is no spec, the error should be about it", () => {
  expect(errorsOf("text")).toEqual([
    "InvalidType spec: spec must be an object, but is a string. Fix: Write spec as an object.",
  ]);
});

test.for([
  "2026-02-30",
  "x2026-03-01",
  "2026-03-01x",
  "2026-03-01T01:00:00Z",
  "2026-03-01T00:00:00Z",
  "2026-13-01",
  20260301,
  undefined,
])("When a freeze begins on %s, that should be no date", (from) => {
  expect(errorsOf(windowObject({ exclusions: [{ from, to: "2026-12-31" }] }).spec)).toEqual([
    "InvalidDate spec.exclusions[0].from: Not a date. Fix: Give local dates, both included, e.g. from: 2026-12-21 and to: 2027-01-06.",
  ]);
});

test("When a duration has spaces around it, two decimals or a leap year's length, it should be read", () => {
  expect([" 2h ", "1.25h", "8784h"].map((duration) => aWindow({ duration }).duration)).toEqual([
    7_200_000, 4_500_000, 31_622_400_000,
  ]);
});

test.for([" @daily ", "@DAILY", " 0 0 * * * "])(
  "When a schedule is '%s', it should open at midnight",
  (schedule) => {
    expect(aWindow({ schedule }).schedule.times).toEqual([0]);
  },
);

test("When a freeze has no reason, it should have no field for it", () => {
  const freeze = { from: "2026-12-24", to: "2027-01-06" };
  expect(aWindow({ exclusions: [freeze] }).exclusions).toStrictEqual([freeze]);
});
