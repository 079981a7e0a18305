import { expect, test } from "vitest";
import { issuesOfChange } from "./file-issues.ts";
import type { Issue } from "./issue.ts";

const issue = (file: string | undefined, message = "wrong"): Issue => ({
  code: "InvalidSource",
  severity: "error",
  object: { kind: "ImageDigestMirrorSet", name: "one" },
  path: "spec",
  value: "a",
  message,
  remedy: "Fix it.",
  ...(file === undefined ? {} : { file, line: 1, column: 1 }),
});

test.for<[string, Issue, readonly Issue[], "issues" | "folded"]>([
  ["is in a file that the change touches", issue("touched"), [issue("touched")], "issues"],
  ["was there before, in another file", issue("other"), [issue("other")], "folded"],
  ["is new in another file", issue("other"), [], "issues"],
  ["says something else in another file", issue("other", "worse"), [issue("other")], "issues"],
  ["is in no file", issue(undefined), [issue(undefined)], "issues"],
])("When an issue %s, it should be among the %4$s", ([, found, before, where]) => {
  const isTouched = (file: string) => file === "touched";
  expect(issuesOfChange([found], before, isTouched)).toEqual({ issues: [], folded: [], [where]: [found] });
});
