import { expect, test } from "vitest";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { judgedIssues } from "./judged-issues.ts";
import { noSettings, type Settings } from "./settings.ts";

const now = new Date("2026-11-26T12:00:00Z");
const issue: Issue = {
  code: "InvalidSource",
  severity: "error",
  object: { kind: "ImageDigestMirrorSet", name: "one" },
  path: "spec.imageDigestMirrors[0].source",
  value: "a:b",
  message: "invalid format",
  remedy: "Remove the tag.",
  file: "mirrors/a.yaml",
  line: 3,
  column: 7,
};
const judged = (
  lines: readonly string[],
  settings: Partial<Settings> = {},
  found: readonly Issue[] = [issue],
) => {
  const texts = [{ file: "mirrors/a.yaml", text: lines.join("\n") }];
  return judgedIssues(found, {
    settings: { ...noSettings, ...settings },
    texts,
    pathOf: (file) => file,
    now,
  });
};
const codesOf = ({ issues, accepted }: ReturnType<typeof judged>) => ({
  issues: issues.map(({ code }) => code),
  accepted: accepted.map(({ code, accepted: { until, reason } }) => [code, until, reason]),
});
const comment = "# hubrelay:accept InvalidSource until=2026-11-26 moved in CHG-7";
const accepted = { issues: [], accepted: [["InvalidSource", "2026-11-26", "moved in CHG-7"]] };

test.for([
  ["on its line", ["spec:", "  rules:", `    - source: a:b ${comment}`]],
  ["on the line above", ["spec:", `    ${comment}`, "    - source: a:b"]],
  ["above another comment", [comment, "# why", "    - source: a:b"]],
] as const)("When a comment %s accepts an issue, it should not count", ([, lines]) => {
  expect(codesOf(judged(lines))).toEqual(accepted);
});

test.for([
  ["is on another line", [comment, "", "spec:", "  a: b"].toReversed()],
  ["is about another code", ["", "", "- source: a:b # hubrelay:accept NeverMatches until=2026-12-31 why"]],
  ["is part of a text", ["", "", `- source: "x${comment}"`]],
] as const)("When a comment %s, the issue should count", ([, lines]) => {
  expect(codesOf(judged(lines))).toEqual({ issues: ["InvalidSource"], accepted: [] });
});

test("When the last day of a comment has passed, the issue should count and say so", () => {
  const { issues } = judged([
    "",
    "",
    "- source: a:b # hubrelay:accept InvalidSource until=2026-11-25 moved in CHG-7",
  ]);
  expect(issues.map(({ message }) => message)).toEqual([
    "invalid format. It was accepted until 2026-11-25: moved in CHG-7",
  ]);
});

test.for([
  ["has no code", "# hubrelay:accept", "The comment has no code."],
  [
    "misspells the code",
    "# hubrelay:accept InvalidSorce until=2026-12-31 x",
    "No issue has the code InvalidSorce.",
  ],
  ["has no end", "# hubrelay:accept InvalidSource for ever", "The comment has no day on which it ends."],
  [
    "ends on no day",
    "# hubrelay:accept InvalidSource until=soon x",
    "The comment has no day on which it ends.",
  ],
  ["has no reason", "# hubrelay:accept InvalidSource until=2026-12-31", "The comment has no reason."],
] as const)("When a comment %s, that should be an error at its place", ([, line, message]) => {
  const { issues } = judged(["", "", `    - source: a:b ${line}`]);
  expect(issues).toEqual([
    issue,
    expect.objectContaining({
      code: "InvalidAcceptance",
      severity: "error",
      file: "mirrors/a.yaml",
      line: 3,
      column: 19,
      message,
    }),
  ]);
});

const setting = { code: "InvalidSource", until: "2026-11-26", reason: "moved in CHG-7" } as const;
test.for<{ accept: Partial<Settings["accept"][number]>; counts: boolean }>([
  { accept: {}, counts: false },
  { accept: { paths: ["mirrors"] }, counts: false },
  { accept: { paths: ["other"] }, counts: true },
  { accept: { object: "ImageDigestMirrorSet/one" }, counts: false },
  { accept: { object: "ImageDigestMirrorSet/two" }, counts: true },
  { accept: { until: "2026-11-25" }, counts: true },
  { accept: { code: "NeverMatches" }, counts: true },
])("When the settings accept $accept, the issue should count: $counts", ({ accept, counts }) => {
  const { issues } = judged([], { accept: [{ ...setting, ...accept }] });
  expect(issues).toHaveLength(counts ? 1 : 0);
});

test("When the settings have another severity for a code, its issues should have it", () => {
  const severities = [{ code: "InvalidSource", severity: "warning", reason: "x" } as const];
  expect(judged([], { severities }).issues).toEqual([{ ...issue, severity: "warning" }]);
});
