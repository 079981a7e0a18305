import { describe, expect, test } from "vitest";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { fileLines, inOrder, issueText, type PrintedIssue } from "./issue-text.ts";

const anIssue = (fields: Partial<Issue> = {}): Issue => ({
  code: "InvalidSource",
  severity: "error",
  object: { kind: "ImageDigestMirrorSet", name: "bad" },
  path: "spec.source",
  value: "quay.io/bad:v1",
  message: "invalid format",
  remedy: "Remove the tag.",
  file: "bad.yaml",
  line: 2,
  column: 3,
  ...fields,
});
const text = "spec:\n  source: quay.io/bad:v1\n  other: {}\n";
const shown = (issue: Issue, content = text, width = 100) =>
  issueText(issue, { width, linesOf: (file) => (file === "bad.yaml" ? fileLines(content) : []) })
    .toString()
    .split("\n");

test("When an issue is shown on a terminal, its line should be below it, with carets, and the fix", () => {
  expect(shown(anIssue())).toEqual([
    'bad.yaml:2:3: error: ImageDigestMirrorSet/bad spec.source "quay.io/bad:v1": invalid format. [InvalidSource]',
    "    2 |   source: quay.io/bad:v1",
    "      |           ^^^^^^^^^^^^^^",
    "    Fix: Remove the tag.",
  ]);
  expect(shown(anIssue({ line: 3, value: {}, remedy: "" })).slice(1)).toEqual([
    "    3 |   other: {}",
    "      |          ^^",
  ]);
});

test("When there is no line to show, the value should be in the sentence, unless the message has it", () => {
  const { file: _, line: __, column: ___, ...ofHub } = anIssue();
  expect(shown(ofHub)[0]).toBe(
    'error: ImageDigestMirrorSet/bad spec.source "quay.io/bad:v1": invalid format. [InvalidSource]',
  );
  expect(shown({ ...ofHub, message: 'invalid format "quay.io/bad:v1"' })[0]).toBe(
    'error: ImageDigestMirrorSet/bad spec.source: invalid format "quay.io/bad:v1". [InvalidSource]',
  );
});

test.for([20, 40, 60])("When a terminal has %i columns, lines should break at words, or be cut", (width) => {
  const long = `spec:\n  ${"other, ".repeat(100)}source: quay.io/bad:v1 # ${"x".repeat(90)}\n`;
  const lines = shown(anIssue({ remedy: "Remove the tag, and apply it again. ".repeat(9) }), long, width);
  for (const line of lines.slice(1)) expect(line.length <= Math.max(width, 35), line).toBe(true);
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.find((line) => line.includes("2 |"))).toContain("quay");
});

test("When a key is misspelt, the carets should be below all of it", () => {
  const lines = shown(anIssue({ path: "spec.source", value: undefined, message: "no such field" }));
  expect(lines.slice(1, 3)).toEqual(["    2 |   source:", "      |   ^^^^^^"]);
});

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
test.for<[string, Partial<Issue>, readonly string[]]>([
  [
    "fits a line, it should say what is wrong and its code there, and the fix below",
    { message: `invalid format "quay.io/bad:v1@${digest}"`, value: `quay.io/bad:v1@${digest}` },
    [
      'bad.yaml:2:3: error: ImageDigestMirrorSet/bad spec.source: invalid format "quay.io/bad:v1@sha256:0123456789ab…". [InvalidSource]',
      "    Fix: Remove the tag.",
    ],
  ],
  [
    "is longer than a line, it should break after a clause",
    { message: `This is the first clause: ${"and ".repeat(40)}so on`, value: undefined, remedy: "" },
    [
      "bad.yaml:2:3: error: ImageDigestMirrorSet/bad spec.source: This is the first clause: [InvalidSource]",
      `    ${"and ".repeat(38)}and`,
      "    and so on.",
    ],
  ],
  [
    "is deep in other objects and has other places, it should show the ends of its path",
    {
      path: "spec.templates[0].definition.spec.templates[1].definition.spec.source",
      message: "no",
      value: undefined,
      related: [{ file: "b.yaml", line: 3 }],
    },
    [
      "bad.yaml:2:3: error: ImageDigestMirrorSet/bad spec.templates[0]…spec.source: no. [InvalidSource]",
      "    See also b.yaml:3.",
      "    Fix: Remove the tag.",
    ],
  ],
  [
    "has a long value that does not fit beside its field, it should be before the problem",
    {
      path: `metadata.annotations["${"a".repeat(70)}"]`,
      message: "It is not a digest",
      value: "v".repeat(50),
    },
    [
      `bad.yaml:2:3: error: ImageDigestMirrorSet/bad metadata.annotations["${"a".repeat(70)}"]: [InvalidSource]`,
      `    "${"v".repeat(50)}": It is not a digest.`,
      "    Fix: Remove the tag.",
    ],
  ],
])("When an issue %s", ([, fields, expected]) => {
  expect(String(issueText(anIssue(fields))).split("\n")).toEqual(expected);
  for (const line of expected) expect(line.length).toBeLessThanOrEqual(160);
});

test("When commands print issues, those of a change should come first, by place, then those without one", () => {
  const { file: _, ...withoutFile } = anIssue();
  const issues = [
    { ...anIssue({ file: "b", line: 9 }), known: true as const },
    withoutFile,
    anIssue({ file: "b", line: 10 }),
    anIssue({ file: "b", line: 2 }),
    anIssue({ file: "a", line: 30 }),
  ];
  expect(inOrder<PrintedIssue>(issues).map(({ file, line }) => `${file ?? ""}:${line}`)).toEqual([
    "a:30",
    "b:2",
    "b:10",
    ":2",
    "b:9",
  ]);
});

describe("a line that may show a credential", () => {
  test.for([
    { why: "a password", content: "spec:\n  password: hunter2\n" },
    { why: "a login in an address", content: "spec:\n  source: https://jo:hunter2@quay.io\n" },
    { why: "a part of a block", content: "password: |\n  hunter2\n" },
    { why: "a part of a text", content: 'password: "a\n  hunter2"\n' },
    { why: "a part of a key", content: `-----BEGIN PRIVATE KEY-----\n  hunter2\n` },
    { why: "a line of a Secret", content: "data:\n  a: hunter2\nkind: Secret\n" },
    { why: "a line of a Secret in JSON", content: '{"kind":"Secret","data":\n  {"a": "hunter2"}}' },
    { why: "escape codes", content: "spec:\n  hunter2\u001b[31m\n" },
    { why: "too long", content: `spec:\n  hunter2${"x".repeat(5_000)}\n` },
  ])("When it is $why, it should be left out", ({ content }) => {
    const lines = shown(anIssue(), content, 1_000);
    expect(lines).toHaveLength(2);
    expect(lines.join("\n")).not.toContain("hunter2");
  });

  test("When the value of the issue was removed, its line should be left out", () => {
    expect(shown(anIssue({ value: "[redacted]" }), "spec:\n  x: hunter2\n")).toHaveLength(2);
  });

  test("When another document is a Secret, the line should be shown", () => {
    expect(shown(anIssue(), `${text}---\nkind: Secret\n`)).toHaveLength(4);
  });
});
