import { describe, expect, test } from "vitest";
import { readDuration } from "./duration.ts";
import { aWindow, windowObject } from "./fixtures.ts";
import { readMaintenanceWindow } from "./maintenance-window.ts";

describe("durations", () => {
  test.for([
    ["2h30m", 9_000_000],
    ["90m", 5_400_000],
    ["1.5h", 5_400_000],
    ["45s", 45_000],
    ["1h0m0s", 3_600_000],
    ["0s", 0],
  ] as const)("When a duration is %s, it should be %d ms", ([text, milliseconds]) => {
    expect(readDuration(text)).toBe(milliseconds);
  });

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
        allow: {
          preCaching: false,
          maxCost: { worker: "reboot", "infra.large": "drain" },
        },
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

  test.for<{ spec: Readonly<Record<string, unknown>>; code: string; path: string }>([
    { spec: { schedule: "0 0 2 * * *" }, code: "InvalidSchedule", path: "spec.schedule" },
    { spec: { schedule: "61 2 * * *" }, code: "InvalidSchedule", path: "spec.schedule" },
    { spec: { schedule: "2026-12-24T02:00:00" }, code: "InvalidSchedule", path: "spec.schedule" },
    { spec: { schedule: "@reboot" }, code: "InvalidSchedule", path: "spec.schedule" },
    { spec: { schedule: "/10 2 * * *" }, code: "InvalidSchedule", path: "spec.schedule" },
    { spec: { schedule: "@every 1h" }, code: "InvalidSchedule", path: "spec.schedule" },
    ...[
      "CRON_TZ=UTC 0 2 * * *",
      "TZ=UTC @daily",
      "0 2 * * FRI-WED",
      "0 2 *-5 * *",
      "0 2 * * SUN#6",
      "0 2 32W * *",
    ].map((schedule) => ({ spec: { schedule }, code: "InvalidSchedule", path: "spec.schedule" })),
    { spec: { timeZone: "Mars/Phobos" }, code: "UnknownTimeZone", path: "spec.timeZone" },
    { spec: { timeZone: "+02:00" }, code: "UnknownTimeZone", path: "spec.timeZone" },
    ...["BST", "IST", "ART", "CST", "bst", "SystemV/AST4"].map((timeZone) => ({
      spec: { timeZone },
      code: "UnknownTimeZone",
      path: "spec.timeZone",
    })),
    { spec: { duration: "1d" }, code: "InvalidDuration", path: "spec.duration" },
    { spec: { duration: "-1h" }, code: "InvalidDuration", path: "spec.duration" },
    { spec: { duration: "8785h" }, code: "InvalidDuration", path: "spec.duration" },
    { spec: { duration: "99999999999h" }, code: "InvalidDuration", path: "spec.duration" },
    {
      spec: { clusterSelector: { matchLabels: "a" } },
      code: "InvalidSelector",
      path: "spec.clusterSelector.matchLabels",
    },
    { spec: { clusterSelector: null }, code: "InvalidSelector", path: "spec.clusterSelector" },
    {
      spec: { allow: { maxCost: { "infra.large": null } } },
      code: "InvalidMaxCost",
      path: 'spec.allow.maxCost["infra.large"]',
    },
  ])("When it has $spec, it should be refused at $path ($code)", ({ spec, code, path }) => {
    const { window, issues } = readMaintenanceWindow(windowObject(spec));
    expect(window).toBeUndefined();
    expect(issues).toEqual([expect.objectContaining({ code, path, severity: "error" })]);
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

test.for<{ what: string; spec: Readonly<Record<string, unknown>>; text: string }>([
  {
    what: "the schedule is missing",
    spec: { schedule: undefined },
    text: 'MissingField spec.schedule: spec.schedule is missing. Fix: Set it, e.g. "0 2 * * SAT" for Saturdays at two.',
  },
  {
    what: "the schedule is blank",
    spec: { schedule: " " },
    text: 'MissingField spec.schedule: spec.schedule is missing. Fix: Set it, e.g. "0 2 * * SAT" for Saturdays at two.',
  },
  {
    what: "the schedule is a number",
    spec: { schedule: 1 },
    text: 'InvalidType spec.schedule: spec.schedule must be a text such as "0 2 * * SAT" for Saturdays at two, but is a number. Fix: Write spec.schedule as a text such as "0 2 * * SAT" for Saturdays at two.',
  },
  {
    what: "the schedule is a day that never comes",
    spec: { schedule: "0 2 30 2 *" },
    text: 'NeverOpens spec.schedule: No calendar has such a day, so the window never opens. Fix: Give minute, hour, day of month, month and day of week, e.g. "0 2 * * SAT" for Saturdays at two.',
  },
  {
    what: "the schedule has four fields",
    spec: { schedule: "0 2 * *" },
    text: 'InvalidSchedule spec.schedule: A schedule has five fields, this has 4. Fix: Give minute, hour, day of month, month and day of week, e.g. "0 2 * * SAT" for Saturdays at two.',
  },
  {
    what: "the schedule has a credential, of which the library quotes a part",
    spec: { schedule: "docker login --password DhdY1e3JanI7pFg34Bta61i9WB quay.io" },
    text: 'InvalidSchedule spec.schedule: It is not a cron expression. Fix: Give minute, hour, day of month, month and day of week, e.g. "0 2 * * SAT" for Saturdays at two.',
  },
  {
    what: "the schedule has a time zone",
    spec: { schedule: "CRON_TZ=America/Winnipeg 0 2 * * *" },
    text: "InvalidSchedule spec.schedule: A schedule has no time zone of its own. Fix: Set spec.timeZone, e.g. to America/Winnipeg, and leave only the five fields in spec.schedule.",
  },
  {
    what: "the time zone is missing",
    spec: { timeZone: undefined },
    text: "MissingField spec.timeZone: spec.timeZone is missing. Fix: Set it, e.g. Europe/Berlin.",
  },
  {
    what: "the time zone is a number",
    spec: { timeZone: 1 },
    text: "InvalidType spec.timeZone: spec.timeZone must be a text such as Europe/Berlin, but is a number. Fix: Write spec.timeZone as a text such as Europe/Berlin.",
  },
  {
    what: "the time zone is unknown",
    spec: { timeZone: "Berlin" },
    text: "UnknownTimeZone spec.timeZone: Unknown time zone: Berlin. Fix: Use a name from the IANA time zone database, e.g. Europe/Berlin or UTC.",
  },
  {
    what: "the duration is missing",
    spec: { duration: undefined },
    text: "MissingField spec.duration: spec.duration is missing. Fix: Set it, e.g. 2h30m.",
  },
  {
    what: "the duration is a number",
    spec: { duration: 2 },
    text: "InvalidType spec.duration: spec.duration must be a text such as 2h30m, but is a number. Fix: Write spec.duration as a text such as 2h30m.",
  },
  {
    what: "the duration is no duration",
    spec: { duration: "two hours" },
    text: 'InvalidDuration spec.duration: "a text of 9 characters" is not a duration. Fix: Give hours and minutes, e.g. 2h30m.',
  },
  {
    what: "the duration is longer than a leap year",
    spec: { duration: "8784h1s" },
    text: "InvalidDuration spec.duration: A window cannot be longer than a year. Fix: Give 8784h or less.",
  },
  {
    what: "the duration is zero",
    spec: { duration: "0h" },
    text: "InvalidDuration spec.duration: A window of zero length never opens. Fix: Give hours and minutes, e.g. 2h30m.",
  },
  {
    what: "the exclusions are a number",
    spec: { exclusions: 1 },
    text: "InvalidType spec.exclusions: spec.exclusions must be a list, but is a number. Fix: Write spec.exclusions as a list.",
  },
  {
    what: "an exclusion is a date",
    spec: { exclusions: ["2026-01-01"] },
    text: "InvalidType spec.exclusions[0]: spec.exclusions[0] must be an object with from and to, but is a string. Fix: Write spec.exclusions[0] as an object with from and to.",
  },
  {
    what: "an exclusion ends before it begins",
    spec: { exclusions: [{ from: "2026-03-02", to: "2026-03-01" }] },
    text: "InvalidDate spec.exclusions[0].to: The freeze ends on 2026-03-01, before it begins on 2026-03-02. Fix: Swap the two dates.",
  },
  {
    what: "the selector has an unknown field",
    spec: { clusterSelector: { labels: {} } },
    text: "InvalidSelector spec.clusterSelector.labels: A selector has no such field. Fix: Give matchLabels and matchExpressions as Kubernetes has them; {} is every cluster.",
  },
  {
    what: "the selector is a number",
    spec: { clusterSelector: 1 },
    text: "InvalidSelector spec.clusterSelector: A selector must be an object. Fix: Give matchLabels and matchExpressions as Kubernetes has them; {} is every cluster.",
  },
  {
    what: "what is allowed is a number",
    spec: { allow: 1 },
    text: "InvalidType spec.allow: spec.allow must be an object, but is a number. Fix: Write spec.allow as an object.",
  },
  {
    what: "pre-caching is text",
    spec: { allow: { preCaching: "yes" } },
    text: "InvalidType spec.allow.preCaching: spec.allow.preCaching must be true or false, but is a string. Fix: Write spec.allow.preCaching as true or false.",
  },
  {
    what: "the costs are a number",
    spec: { allow: { maxCost: 1 } },
    text: "InvalidType spec.allow.maxCost: spec.allow.maxCost must be an object of pools and costs, e.g. worker: reboot, but is a number. Fix: Write spec.allow.maxCost as an object of pools and costs, e.g. worker: reboot.",
  },
  {
    what: "a cost is unknown",
    spec: { allow: { maxCost: { worker: "much" } } },
    text: 'InvalidMaxCost spec.allow.maxCost.worker: "much" is not a cost. Fix: Write one of none, reload, drain, reboot, replace.',
  },
  {
    what: "a pool with a space has a number",
    spec: { allow: { maxCost: { "a b": 1 } } },
    text: 'InvalidMaxCost spec.allow.maxCost["a b"]: 1 is not a cost. Fix: Write one of none, reload, drain, reboot, replace.',
  },
  {
    what: "the end is unknown",
    spec: { atEnd: "Stop" },
    text: "InvalidEnd spec.atEnd: Unknown value for atEnd. Fix: Give Suspend or Finish.",
  },
])("When $what, the one error should say where, what and how to fix it", ({ spec, text }) => {
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
