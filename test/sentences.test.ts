import { expect, test } from "vitest";
import { findInCode } from "./support/typed-code/find-in-code.ts";
import { plainSentences } from "./support/typed-code/plain-sentences.ts";
import { refusedLines } from "./support/typed-code/refused-lines.ts";

const examples = "test/support/typed-code/plain-sentences-examples.ts";

/** Where messages, reasons, conditions and Events are written. Commands and pages have `safe` and `html`. */
const isProduction = (file: string) =>
  /^(?:shared\/(?:domain|registry|runtime)|functions)\//.test(file) && !/\.test\.ts$|fixtures/.test(file);

/** Files that programs read, and parts of messages whose callers use the tag. */
const content: ReadonlySet<string> = new Set([
  "shared/domain/mirrors/policies/policy-files.ts",
  "shared/domain/mirrors/registries-conf/registries-conf.ts",
  "shared/domain/manifests/yaml-stream.ts",
  "shared/domain/kubernetes/json/values.ts",
]);

const found = findInCode(
  ["tsconfig.json"],
  (file) => file === examples || (isProduction(file) && !content.has(file)),
  plainSentences,
);

test("When a sentence has a value from outside, it should have the tag sentence, which removes credentials from it", () => {
  const refused = found.filter(({ file }) => file !== examples);
  expect(refused.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
});

test("When a sentence is written in any of these ways, the rule should refuse exactly those without a tag", () => {
  expect(found.filter(({ file }) => file === examples).map(({ line, reason }) => ({ line, reason }))).toEqual(
    refusedLines(examples),
  );
});
