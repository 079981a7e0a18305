import { expect, test } from "vitest";
import { matchesPath, noSettings, readSettings } from "./settings.ts";

const problemsOf = (value: unknown) =>
  readSettings(value, ".hubrelay.yaml").issues.map(
    ({ code, severity, path, message, remedy }) => `${severity} ${code} ${path}: ${message} ${remedy}`,
  );
const until = "2026-12-31";
const reason = "known";

test("When the settings are complete, they should be read", () => {
  const settings = {
    clusters: [{ name: "prod", paths: ["envs/prod"], release: "4.18.9" }],
    exclude: ["charts"],
    severities: [{ code: "RuleWithoutMirrors", severity: "error", reason }],
    accept: [{ code: "InvalidSource", paths: ["a.yaml"], object: "ImageTagMirrorSet/a", until, reason }],
    acceptances: "base",
    failOn: ["drain"],
  };
  expect(readSettings(settings, "f")).toEqual({ settings, issues: [] });
});

test.for([{}, null, undefined])("When the file has %j, there should be no settings", (value) => {
  expect(readSettings(value, "f")).toEqual({ settings: noSettings, issues: [] });
});

test.for<[string, unknown, string]>([
  ["the file is a list", [], ": It must be an object."],
  [
    "a setting is misspelt",
    { excludes: [] },
    "excludes: hubrelay has no such setting. Did you mean exclude?",
  ],
  [
    "a field of one is misspelt",
    { accept: [{ code: "InvalidSource", until, reason, path: [] }] },
    "accept[0].path: hubrelay has no such setting. Did you mean paths?",
  ],
  [
    "a code is misspelt",
    { accept: [{ code: "InvalidSorce", until, reason }] },
    "accept[0].code: No issue has the code InvalidSorce. Did you mean InvalidSource?",
  ],
  [
    "a code is inherited",
    { accept: [{ code: "constructor", until, reason }] },
    "No issue has the code constructor.",
  ],
  ["there is no end", { accept: [{ code: "InvalidSource", reason }] }, "accept[0].until: It is missing."],
  [
    "the end is not a day",
    { accept: [{ code: "InvalidSource", until: "2026-02-30", reason }] },
    "accept[0].until: 2026-02-30 is not a day. Write it as 2026-12-31.",
  ],
  ["there is no reason", { accept: [{ code: "InvalidSource", until }] }, "accept[0].reason: It is missing."],
  [
    "the reason is empty",
    { severities: [{ code: "InvalidSource", severity: "warning", reason: " " }] },
    "severities[0].reason: It is missing.",
  ],
  [
    "a severity is unknown",
    { severities: [{ code: "InvalidSource", severity: "off", reason }] },
    "severities[0].severity: It must be one of error, warning.",
  ],
  [
    "a release is a number",
    { clusters: [{ name: "a", paths: [], release: 4.2 }] },
    "clusters[0].release: It must be a text. Write it in quotes.",
  ],
  [
    "a release is not a version",
    { clusters: [{ name: "a", paths: [], release: "new" }] },
    "new is not a version.",
  ],
  ["a cluster has no paths", { clusters: [{ name: "a" }] }, "clusters[0].paths: It is missing."],
  [
    "two clusters have the same name",
    { clusters: [1, 2].map(() => ({ name: "a", paths: [] })) },
    "clusters: Clusters have the same name: a. Give each its own name.",
  ],
  ["a cost is unknown", { failOn: ["drains"] }, "failOn[0]: It must be one of error, warning"],
])("When %s, it should be one error that says what to write", ([, value, problem]) => {
  expect(problemsOf(value)).toEqual([expect.stringContaining(problem)]);
  expect(problemsOf(value)[0]).toMatch(/^error InvalidSetting /);
});

test.for([
  ["charts", "charts/a/values.yaml", true],
  ["charts", "charts", true],
  ["charts/", "./charts/a.yaml", true],
  ["charts", "envs/charts/a.yaml", false],
  ["chart", "charts/a.yaml", false],
  ["**/testdata", "a/b/testdata/c.yaml", true],
  ["**/testdata", "testdata/c.yaml", true],
  ["**", "a.yaml", true],
  ["envs/*/mirrors.yaml", "envs/prod/mirrors.yaml", true],
  ["envs/*/mirrors.yaml", "envs/prod/eu/mirrors.yaml", false],
  ["envs/**/mirrors.yaml", "envs/prod/eu/mirrors.yaml", true],
  ["*.json", "a.json", true],
  ["a*b*c", "a1b2c", true],
  ["a*a", "a", false],
  ["a*x*c", "a1b2c", false],
  ["a*c", "b1c", false],
  ["a*b", "ab", true],
  ["constructor", "envs", false],
  ["", "a.yaml", false],
] as const)("When the pattern is %j and the path %j, it should match: %s", ([pattern, path, matches]) => {
  expect(matchesPath(pattern, path)).toBe(matches);
});
