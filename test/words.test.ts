import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { paths } from "../infra/paths.ts";

const sources = "{shared,functions,cli,console,infra,bench,examples,test,tools}/**/*.{ts,sh,yaml,yml}";
const pages = "{*.md,docs/**/*.md,contributing/**/*.md,examples/**/*.md}";
const unread = ["CHANGELOG.md", "test/words.test.ts", "shared/domain/text/redact.ts"];

/** The lines of files that a pattern matches, each with its place. */
async function found(files: string, pattern: RegExp): Promise<readonly string[]> {
  const names = (await Array.fromAsync(glob(files, { cwd: paths.root }))).filter(
    (file) => !unread.includes(file) && !file.includes("node_modules/"),
  );
  return names.sort().flatMap((file) =>
    readFileSync(join(paths.root, file), "utf8")
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}

test.for([
  {
    rule: "a comment should be a sentence, which does not begin with Of, Is, So or Before a value",
    files: sources,
    pattern: /^\s*(?:\/\*\*|\/\/|#) (?:Of|Is|So|Before) /,
  },
  { rule: 'it should say what is meant instead of "as far as"', files: sources, pattern: /\bas far as\b/i },
  { rule: 'a page should say what is meant instead of "as far as"', files: pages, pattern: /\bas far as\b/i },
  {
    rule: "a limit should be called max or min",
    files: "{shared,functions,cli,console,infra,bench,test}/**/*.ts",
    pattern: /\bconst (?:most|least|longest|shortest|widest|largest)(?:[A-Z]\w*)? = \d/,
  },
  {
    rule: "a page should say that only a change is held: a mirror has, an object contains, a rule applies",
    files: "{README.md,docs/*.md,docs/{tutorials,how-to,reference,explanation}/**/*.md,examples/**/*.md}",
    pattern: /\bholds\b(?!-| back)|\b(?:mirrors|may|not) hold\b/,
  },
  {
    rule: "a message should say the same",
    files: "{shared,functions,cli,console,infra,examples}/**/{!(*.test).ts,*.yaml,*.yml,*.json}",
    pattern: /^(?!\s*(?:\*|\/[/*]|#)).*(?:\bholds(?: (?!back)[\w$]|[`"])|\b(?:mirrors|may|not) hold\b)/,
  },
])("When text is written, $rule", async ({ files, pattern }) => {
  expect(await found(files, pattern)).toEqual([]);
});
