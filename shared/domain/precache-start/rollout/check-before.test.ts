import { describe, expect, test } from "vitest";
import { aStoredUpgrade } from "../../../../test/support/precache/precache-snapshots.ts";
import { aWindow } from "../../../../test/support/precache/precache-windows.ts";
import { type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import type { ClusterCheck } from "../../precache-model/check-record.ts";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { aWaitingRecord } from "../../precache-model/fixtures.ts";
import { checkBefore, checksBeforeOpenings } from "./check-before.ts";

const withAnnotations = (annotations: Readonly<Record<string, string>>): KubernetesObject =>
  aStoredUpgrade(["sno1"], { annotations });
const aConfig = (value: string): KubernetesObject => {
  const { apiVersion, kind } = kinds.PreCachingConfig;
  return { apiVersion, kind, metadata: { name: "c", annotations: { "hubrelay.dev/check-before": value } } };
};
const hour = 3_600_000;

describe("hubrelay.dev/check-before", () => {
  test.for([
    { value: "24h", before: 24 * hour },
    { value: " 1h30m ", before: 1.5 * hour },
    { value: "1m", before: hour / 60 },
    { value: "8760h", before: 365 * 24 * hour },
  ])("When it is $value, it should be read", ({ value, before }) => {
    expect(checkBefore([withAnnotations({ "hubrelay.dev/check-before": value })])).toEqual({
      before,
      issues: [],
    });
  });

  test.for([
    ...["", "24", "1d", "-1h"].map((value) => ({ value, problem: "It is not a duration" })),
    ...["0h", "59s", "8760h1s"].map((value) => ({
      value,
      problem: "It is shorter than a minute or longer than a year",
    })),
  ])("When it is $value, it should be an error: $problem", ({ value, problem }) => {
    const { before, issues } = checkBefore([withAnnotations({ "hubrelay.dev/check-before": value })]);
    expect(before).toBeUndefined();
    expect(issues).toMatchObject([
      {
        code: "InvalidDuration",
        severity: "error",
        path: 'metadata.annotations["hubrelay.dev/check-before"]',
        value,
        message: `${problem}; clusters are not checked before an opening.`,
        remedy: 'Write hours, minutes and seconds, such as "24h" or "1h30m".',
      },
    ]);
  });

  test("When upgrade and PreCachingConfig set it, that of the upgrade should count", () => {
    const upgrade = withAnnotations({ "hubrelay.dev/check-before": "2h" });
    expect(checkBefore([upgrade, aConfig("1h")]).before).toBe(2 * hour);
    expect(checkBefore([withAnnotations({}), aConfig("1h")]).before).toBe(hour);
    expect(checkBefore([withAnnotations({})])).toEqual({ before: undefined, issues: [] });
  });
});

/** Ten hours before the window opens, at one o'clock on 3 March. */
const now = new Date("2026-03-02T15:00:00Z");
const dayBefore = { "hubrelay.dev/check-before": "24h" };
const day = "2026-03-02T01:00:00Z";
const checkAt = (started: string, missing = 0, fields: Partial<ClusterCheck> = {}) => ({
  check: { started, attempt: 1, checked: started, imagesPresent: 9 - missing, imagesTotal: 9, ...fields },
});
const check = { verdict: "check", opening: new Date("2026-03-03T01:00:00Z") };
const again = { ...check, verdict: "again" };

type Given = Readonly<{
  record?: Partial<ClusterRecord>;
  annotations?: Readonly<Record<string, string>>;
  windows?: readonly KubernetesObject[];
  status?: object;
}>;
const inTime = (time: string) => ({ annotations: { "hubrelay.dev/check-before": time } });
const rollout = (when: string) => ({ ...dayBefore, "hubrelay.dev/enable-after-precaching": when });
const late = aWindow("late", { schedule: "0 9 * * *", clusterSelector: undefined });
const uncheckable = { started: day, attempt: 1, checked: day, message: "unreachable" };
const begun = { conditions: [{ type: "Progressing", status: "True" }] };
const checkFor = (opening: string) => ({ verdict: "check", opening: new Date(opening) });
const atEight = { annotations: rollout("2026-03-02T20:00:00Z"), windows: [] };
const afterLate = { annotations: rollout("window=late"), windows: [aWindow("night"), late] };
const noPreCaching = aWindow("night", { allow: { preCaching: false } });
const pulledSince = { record: { ...checkAt(day, 3), attempt: 2 } };

describe("what the next opening requires of a cluster", () => {
  test.for<readonly [what: string, given: Given, due?: object]>([
    ["it was not checked since it has succeeded", {}, check],
    ["the opening is further away", inTime("9h")],
    ["the time before it has just begun", inTime("10h"), check],
    ["nobody requests it", { annotations: {} }],
    ["the time cannot be read", inTime("1d")],
    ["it has succeeded in this time", { record: { since: day } }],
    ["it pulls", { record: { state: "Active", reason: "Pulling" } }],
    ["it has failed", { record: { state: "UnrecoverableError", reason: "PullFailed" } }],
    ["it was checked in this time", { record: checkAt(day) }],
    ["it was checked before", { record: checkAt("2026-03-02T00:59:59Z", 3) }, check],
    ["images were missing in this time", { record: checkAt(day, 3) }, again],
    ["a requested check has found images missing", { record: checkAt("2026-03-02T14:00:00Z", 1) }, again],
    ["they were missing, and were pulled", pulledSince],
    ["a check is in progress", { record: { check: { started: day, attempt: 1 } } }],
    ["the cluster could not be checked", { record: { check: uncheckable } }],
    ["there is no window", { windows: [] }],
    ["no window is its own", { windows: [aWindow("night", { clusterSelector: undefined })] }],
    ["a window allows no pre-caching", { windows: [noPreCaching] }, check],
    ["the rollout has windows of its own", afterLate, checkFor("2026-03-03T09:00:00Z")],
    ["the rollout begins at a time", atEight, checkFor("2026-03-02T20:00:00Z")],
    ["that time has come", { annotations: rollout("2026-03-02T15:00:00Z") }],
    ["the rollout has begun", { status: begun }],
  ])("When $0, it should be due or not", ([, { record, annotations, windows, status }, due]) => {
    const cgu = withAnnotations(annotations ?? dayBefore);
    const fleet = {
      cgu: { ...cgu, status: { ...Object(cgu.status), ...status } },
      configs: [],
      windows: windows ?? [aWindow("night")],
      labelsOf: () => ({}),
    };
    const cached = aWaitingRecord({ state: "Succeeded", reason: "Completed", ...record });
    expect(checksBeforeOpenings(fleet, now)("sno1", cached)).toEqual(due);
  });
});
