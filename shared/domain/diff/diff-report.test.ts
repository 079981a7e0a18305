import { expect, test } from "vitest";
import { coverageOf } from "../issues/coverage.ts";
import { issueAt } from "../issues/fixtures.ts";
import { textFile } from "../openshift/machine-config/node-file.ts";
import { compareSides, type Side } from "./compare-sides.ts";
import { diffAssumptions, diffReport, wrongSide } from "./diff-report.ts";
import { machineOSConfig } from "./node-cost/fixtures.ts";

const first = issueAt("spec.imageDigestMirrors[0].source");

const side = (...files: readonly string[]): Side => ({
  filesOf: () => files.map((text) => textFile("/etc/containers/registries.conf", text)),
  objects: [],
});
const now = new Date("2026-03-01T00:00:00Z");
const fine = { issues: [], accepted: 0, isRefused: false };

test("When the old side has an issue as well, the new side should have it as known, wherever it is now", () => {
  const moved = { ...issueAt("spec.imageDigestMirrors[1].source"), file: "b", line: 7 };
  const caused = issueAt(first.path, "quay.io/b:1");
  const worse = { ...issueAt("spec"), file: "b", line: 9 };
  const issues = [caused, moved, worse];
  expect(
    wrongSide({ ...fine, issues }, [first, issueAt("spec", "quay.io/a:1", "warning")], issues),
  ).toMatchObject({ issues, known: [moved] });
});

test.for([
  ["it has no errors", fine, []],
  ["it is refused", { ...fine, issues: [first], isRefused: true }, ["nothing of it reaches the nodes"]],
] as const)("When %s, the report should say what follows", ([, findings, consequences]) => {
  const { report } = compareSides(side(), side(), now);
  const coverage = coverageOf({ read: [], unread: [], assumed: [] });
  expect(diffReport(report, wrongSide(findings, [], []), coverage).consequences).toEqual(
    consequences.map((text) => expect.stringContaining(text)),
  );
});

const compared = (before: Side, after: Side, options: Parameters<typeof diffAssumptions>[3]) => {
  const { report } = compareSides(before, after, now);
  const sides = [
    { name: "main", side: before, issues: [first, issueAt("spec", "", "warning")] },
    { name: "branch", side: after, issues: [] },
  ] as const;
  return { report, assumed: diffAssumptions(report, ...sides, options).map(({ text }) => text) };
};

test("When a side configures nothing, has errors or no pools, it should say what is assumed", () => {
  const { assumed } = compared(side('[[registry]]\nlocation = "quay.io/a"\n'), side(), { isWhole: false });
  expect(assumed).toEqual([
    "branch configures no mirror, and every entry is removed",
    "only the valid rules of main count, since it has errors",
    "pools master and worker, one node at a time, with any cost allowed",
  ]);
});

test("When neither side configures anything, it should say so instead of what is added and removed", () => {
  expect(compared(side(), side(), { isWhole: false }).assumed).toContain(
    "neither main nor branch configures a mirror",
  );
});

test("When issues and coverage are known, the report should count what is fixed, and have all of the coverage", () => {
  const { report } = compared(side(), side(), { isWhole: false });
  const coverage = coverageOf({ read: [], unread: [], assumed: [{ what: "pool", text: "pool a" }] });
  const wrong = wrongSide(fine, [first, issueAt("spec", "", "warning")], []);
  expect(diffReport(report, wrong, coverage)).toMatchObject({
    fixed: { errors: 1, warnings: 1 },
    assumed: ["pool a"],
    coverage,
  });
});

test.for([
  {
    name: "unknown",
    releaseVersion: undefined,
    assumed: [
      "release 5.1 from OpenShift's own repositories, without the signature policy of its payload",
      "image mode and image-registry-override-drain change no cost, as since 4.20",
    ],
  },
  { name: "given", releaseVersion: "4.19.3", assumed: ["a release image from OpenShift's own repositories"] },
])(
  "When a pool is in image mode and the release is $name, it should assume $assumed",
  ({ releaseVersion, assumed }) => {
    const objects = [machineOSConfig("worker"), { ...machineOSConfig(""), kind: "MachineConfigPool" }];
    const one = { ...side("a = 1\n"), objects };
    const options = releaseVersion === undefined ? { isWhole: true } : { isWhole: true, releaseVersion };
    expect(compared(one, one, options).assumed).toEqual([
      "only the valid rules of main count, since it has errors",
      ...assumed,
    ]);
  },
);
