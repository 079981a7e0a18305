import { expect, test } from "vitest";
import { fileIssue } from "#shared/domain/issues/file-issues.ts";
import { githubCommands } from "./github-commands.ts";

const complete = { complete: true, read: [], unread: [], assumed: [] };

function annotation(message: string): string {
  const issue = fileIssue("a.yaml", { line: 2, column: 3 }, "", {
    code: "InvalidManifest",
    message,
    remedy: "",
  });
  return githubCommands({ issues: [issue], coverage: complete }).toString();
}

test.for([
  { text: "##[add-mask]x", shown: "## [add-mask]x" },
  { text: "a @octocat b", shown: "a @ octocat b" },
  { text: "(@acme/team)", shown: "(@ acme/team)" },
  { text: "a &#64;octocat", shown: "a & #64;octocat" },
  { text: "a &#x0040;octocat &commat;octocat", shown: "a & #x0040;octocat & commat;octocat" },
  { text: "registry.example.com/app@sha256:1", shown: "registry.example.com/app@sha256:1" },
  { text: "a\n::error::b", shown: "a%0A::error::b" },
])("When a message has $text, the annotation should have $shown", ({ text, shown }) => {
  expect(annotation(text)).toBe(
    `::error file=a.yaml,line=2,col=3,title=hubrelay InvalidManifest::${shown}. [InvalidManifest]\n`,
  );
});
