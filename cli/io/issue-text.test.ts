import { describe, expect, test } from "vitest";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { issuesOnTerminal } from "./issue-text.ts";

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
const shown = (issues: readonly Issue[], content = text, width = 100) =>
  issuesOnTerminal(issues, (file) => (file === "bad.yaml" ? content : undefined), width).map(String);

test("When a file has issues, they should be below its name, each with its line, a caret and the fix", () => {
  expect(shown([anIssue(), anIssue({ severity: "warning", line: 3, value: {}, remedy: "" })])).toEqual([
    "bad.yaml",
    "  2:3 error: ImageDigestMirrorSet/bad spec.source: invalid format. [InvalidSource]",
    "    2 |   source: quay.io/bad:v1",
    "      |           ^^^^^^^^^^^^^^",
    "    Fix: Remove the tag.",
    "  3:3 warning: ImageDigestMirrorSet/bad spec.source: invalid format. [InvalidSource]",
    "    3 |   other: {}",
    "      |          ^^",
    "",
  ]);
});

test("When there is no line to show, the value should be in the sentence, unless the message has it", () => {
  const { file: _, line: __, column: ___, ...ofHub } = anIssue();
  expect(shown([ofHub])[1]).toBe(
    '  error: ImageDigestMirrorSet/bad spec.source "quay.io/bad:v1": invalid format. [InvalidSource]',
  );
  const quoting = { ...ofHub, message: 'invalid format "quay.io/bad:v1"' };
  expect(shown([quoting], text, 200)[1]).toBe(
    '  error: ImageDigestMirrorSet/bad spec.source: invalid format "quay.io/bad:v1". [InvalidSource]',
  );
  expect(shown([anIssue({ value: "elsewhere" })])[1]).toContain('spec.source "elsewhere": invalid');
  expect(shown([ofHub])[0]).toBe("ImageDigestMirrorSet/bad");
});

test.for([20, 40, 60])("When a terminal has %i columns, lines should break at words, or be cut", (width) => {
  const long = `spec:\n  ${"other, ".repeat(100)}source: quay.io/bad:v1 # ${"x".repeat(90)}\n`;
  const lines = shown([anIssue({ remedy: "Remove the tag, and apply it again. ".repeat(9) })], long, width);
  for (const line of lines) expect(line.length <= Math.max(width, 35), line).toBe(true);
  const at = lines.findIndex((line) => line.includes("| …") || line.includes("quay.io"));
  expect(lines.length).toBeGreaterThan(5);
  expect(at).toBeGreaterThan(0);
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
    const lines = shown([anIssue()], content, 1_000);
    expect(lines).toHaveLength(4);
    expect(lines.join("\n")).not.toContain("hunter2");
  });

  test("When the value of the issue was removed, its line should be left out", () => {
    expect(shown([anIssue({ value: "[redacted]" })], "spec:\n  x: hunter2\n")).toHaveLength(4);
  });

  test("When another document is a Secret, the line should be shown", () => {
    expect(shown([anIssue()], `${text}---\nkind: Secret\n`)).toHaveLength(6);
  });
});
