import { describe, expect, test } from "vitest";
import { durationText, readDuration } from "./duration.ts";
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

  test.for([
    [9_000_000, "2h30m"],
    [3_600_000, "1h"],
    [61_500, "1m1s"],
    [999, "0s"],
  ] as const)("When there are %d ms, it should read %s", ([milliseconds, text]) => {
    expect(durationText(milliseconds)).toBe(text);
  });
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
          hostedClusters: { maxCost: "replace" },
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
        hostedClusterCost: "replace",
      },
      atEnd: "Finish",
    });
  });

  test.for<{ spec: Readonly<Record<string, unknown>>; code: string; path: string }>([
    { spec: { schedule: undefined }, code: "MissingField", path: "spec.schedule" },
    { spec: { schedule: 2 }, code: "InvalidType", path: "spec.schedule" },
    { spec: { schedule: "0 2 * *" }, code: "InvalidSchedule", path: "spec.schedule" },
    { spec: { schedule: "0 0 2 * * *" }, code: "InvalidSchedule", path: "spec.schedule" },
    { spec: { schedule: "61 2 * * *" }, code: "InvalidSchedule", path: "spec.schedule" },
    { spec: { schedule: "2026-12-24T02:00:00" }, code: "InvalidSchedule", path: "spec.schedule" },
    { spec: { schedule: "@reboot" }, code: "InvalidSchedule", path: "spec.schedule" },
    { spec: { schedule: "  " }, code: "MissingField", path: "spec.schedule" },
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
    { spec: { schedule: "0 2 30 2 *" }, code: "NeverOpens", path: "spec.schedule" },
    { spec: { timeZone: undefined }, code: "MissingField", path: "spec.timeZone" },
    { spec: { timeZone: "Mars/Phobos" }, code: "UnknownTimeZone", path: "spec.timeZone" },
    { spec: { timeZone: "+02:00" }, code: "UnknownTimeZone", path: "spec.timeZone" },
    ...["BST", "IST", "ART", "CST", "bst", "SystemV/AST4"].map((timeZone) => ({
      spec: { timeZone },
      code: "UnknownTimeZone",
      path: "spec.timeZone",
    })),
    { spec: { duration: undefined }, code: "MissingField", path: "spec.duration" },
    { spec: { duration: "0h" }, code: "InvalidDuration", path: "spec.duration" },
    { spec: { duration: "1d" }, code: "InvalidDuration", path: "spec.duration" },
    { spec: { duration: "-1h" }, code: "InvalidDuration", path: "spec.duration" },
    { spec: { duration: "8785h" }, code: "InvalidDuration", path: "spec.duration" },
    { spec: { duration: "99999999999h" }, code: "InvalidDuration", path: "spec.duration" },
    { spec: { exclusions: {} }, code: "InvalidType", path: "spec.exclusions" },
    { spec: { exclusions: ["2026-12-24"] }, code: "InvalidType", path: "spec.exclusions[0]" },
    {
      spec: { exclusions: [{ from: "2026-02-30", to: "2026-03-01" }] },
      code: "InvalidDate",
      path: "spec.exclusions[0].from",
    },
    { spec: { exclusions: [{ from: "2026-02-01" }] }, code: "InvalidDate", path: "spec.exclusions[0].to" },
    {
      spec: { exclusions: [{ from: "2026-02-01T00:00:00Z", to: "2026-02-02" }] },
      code: "InvalidDate",
      path: "spec.exclusions[0].from",
    },
    {
      spec: { exclusions: [{ from: "2026-02-02", to: "2026-02-01" }] },
      code: "InvalidDate",
      path: "spec.exclusions[0].to",
    },
    {
      spec: { clusterSelector: { matchLabels: "a" } },
      code: "InvalidSelector",
      path: "spec.clusterSelector.matchLabels",
    },
    {
      spec: { clusterSelector: { matchLabel: { site: "west" } } },
      code: "InvalidSelector",
      path: "spec.clusterSelector.matchLabel",
    },
    { spec: { clusterSelector: null }, code: "InvalidSelector", path: "spec.clusterSelector" },
    { spec: { allow: { preCaching: "yes" } }, code: "InvalidType", path: "spec.allow.preCaching" },
    { spec: { allow: [] }, code: "InvalidType", path: "spec.allow" },
    { spec: { allow: { maxCost: "reboot" } }, code: "InvalidType", path: "spec.allow.maxCost" },
    {
      spec: { allow: { maxCost: { worker: "all" } } },
      code: "InvalidMaxCost",
      path: "spec.allow.maxCost.worker",
    },
    {
      spec: { allow: { maxCost: { "infra.large": null } } },
      code: "InvalidMaxCost",
      path: 'spec.allow.maxCost["infra.large"]',
    },
    { spec: { allow: { hostedClusters: [] } }, code: "InvalidType", path: "spec.allow.hostedClusters" },
    {
      spec: { allow: { hostedClusters: { selector: {} } } },
      code: "InvalidMaxCost",
      path: "spec.allow.hostedClusters.maxCost",
    },
    {
      spec: { allow: { hostedClusters: { maxCost: "replace", selector: [] } } },
      code: "InvalidSelector",
      path: "spec.allow.hostedClusters.selector",
    },
    { spec: { atEnd: "Kill" }, code: "InvalidEnd", path: "spec.atEnd" },
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
    ["0 2 * *", "A schedule has five fields, this has 4"],
  ])("When the schedule is %s, the issue should say '%s'", ([schedule, message]) => {
    const { issues } = readMaintenanceWindow(windowObject({ schedule }));
    expect(issues).toMatchObject([{ value: schedule, message }]);
  });

  test("When it has several errors, each should be reported", () => {
    const { issues } = readMaintenanceWindow(windowObject({ schedule: "x", timeZone: "y", duration: "z" }));
    expect(issues.map(({ path }) => path)).toEqual(["spec.schedule", "spec.timeZone", "spec.duration"]);
  });

  test("When its other fields are wrong, its selectors should still be read: their clusters wait for it", () => {
    const selector = { matchLabels: { site: "west" } };
    const spec = { schedule: "x", clusterSelector: selector, allow: { hostedClusters: { selector } } };
    const selected = [{ key: "site", operator: "In", values: ["west"] }];
    expect(readMaintenanceWindow(windowObject(spec))).toMatchObject({
      clusterSelector: selected,
      hostedClusterSelector: selected,
    });
  });
});
