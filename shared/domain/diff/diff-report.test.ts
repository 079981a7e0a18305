import { describe, expect, test } from "vitest";
import type { Issue } from "../issues/issue.ts";
import { textFile } from "../machine-config/node-file.ts";
import { machineOSConfig } from "../node-cost/fixtures.ts";
import { compareSides, type Side } from "./compare-sides.ts";
import { diffReport, fixedIssues } from "./diff-report.ts";

const issue = (
  path: string,
  value: unknown = "quay.io/a:1",
  severity: Issue["severity"] = "error",
): Issue => ({
  code: "InvalidSource",
  severity,
  object: { kind: "ImageDigestMirrorSet", name: "a" },
  path,
  value,
  message: "",
  remedy: "",
});
const first = issue("spec.imageDigestMirrors[0].source");

describe("fixedIssues", () => {
  test.for([
    { name: "the new side has none", before: [first], after: [], fixed: 1 },
    { name: "both sides have it", before: [first], after: [first], fixed: 0 },
    {
      name: "a rule was added before it",
      before: [first],
      after: [issue("spec.imageDigestMirrors[1].source")],
      fixed: 0,
    },
    {
      name: "it is in another file",
      before: [{ ...first, file: "a", line: 1 }],
      after: [{ ...first, file: "b", line: 7 }],
      fixed: 0,
    },
    { name: "its value is another", before: [first], after: [issue(first.path, "quay.io/b:1")], fixed: 1 },
    { name: "one of two is left", before: [first, first], after: [first], fixed: 1 },
    { name: "only the new side has it", before: [], after: [first], fixed: 0 },
  ])("When $name, it should count $fixed", ({ before, after, fixed }) => {
    expect(fixedIssues(before, after)).toHaveLength(fixed);
  });
});

const side = (...files: readonly string[]): Side => ({
  filesOf: () => files.map((text) => textFile("/etc/containers/registries.conf", text)),
  paths: undefined,
  objects: [],
});
const now = new Date("2026-03-01T00:00:00Z");

test("When a side configures nothing, has errors or no pools, the report should say what is assumed", () => {
  const [full, empty] = [side('[[registry]]\nlocation = "quay.io/a"\n'), side()];
  const before = { name: "main", side: full, issues: [first, issue("spec", "", "warning")] };
  const { report, releases } = compareSides(full, empty, now);
  const after = { name: "branch", side: empty, issues: [] };
  const { fixed, assumed } = diffReport(report, before, after, releases);
  expect(fixed).toEqual({ errors: 1, warnings: 1 });
  expect(assumed).toEqual([
    "branch configures no mirror: every entry counts as removed.",
    "What is invalid in main counts as not in effect.",
    "No side has a MachineConfigPool: master and worker are assumed, one node at a time, with any cost allowed.",
  ]);
});

test.for([
  { name: "unknown", version: undefined, assumed: [expect.stringContaining("5.1 is assumed")] },
  { name: "given", version: "4.19.3", assumed: [] },
])(
  "When a pool is in image mode and the release is $name, it should assume $assumed",
  ({ version, assumed }) => {
    const objects = [machineOSConfig("worker"), { ...machineOSConfig(""), kind: "MachineConfigPool" }];
    const before = { name: "main", side: { ...side("a = 1\n"), objects }, issues: [] };
    const after = { ...before, name: "branch" };
    const { report, releases } = compareSides(before.side, after.side, now, version);
    expect(diffReport(report, before, after, releases).assumed).toEqual(assumed);
  },
);
