import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { isCallExpression, isNewExpression, SyntaxKind } from "typescript/unstable/ast";
import { describe, expect, test } from "vitest";
import { packageFile } from "../cli/program/package-files.ts";
import { processorSeconds } from "./support/setup/processor-seconds.ts";
import { findInCode, type Rule } from "./support/typed-code/find-in-code.ts";
import { type HostileText, hostileTexts } from "./support/typed-code/hostile-texts.ts";
import { outsideNames } from "./support/typed-code/outside-names.ts";
import { plainSentences } from "./support/typed-code/plain-sentences.ts";
import { refusedLines } from "./support/typed-code/refused-lines.ts";

/*
 * Rules about code that need TypeScript's own types or syntax. They are in one file, since it takes seconds to read these.
 */

const sentenceExamples = "test/support/typed-code/plain-sentences-examples.ts";
const nameExamples = "test/support/typed-code/outside-names-examples.ts";

const isTest = (file: string) => /\.test\.ts$|fixtures/.test(file);
/** What runs on input; infra's scripts read only files of this repository. */
const isProduction = (file: string) => /^(?:shared|functions|cli|console)\//.test(file) && !isTest(file);
/** Where messages, reasons, conditions and Events are written. Commands and pages have `safe` and `html`. */
const writesSentences = (file: string) =>
  /^(?:shared\/(?:domain|registry|runtime)|functions)\//.test(file) && !isTest(file);

/** Files that programs read, and parts of messages whose callers use the tag. */
const content: ReadonlySet<string> = new Set([
  "shared/domain/mirrors/policies/policy-files.ts",
  "shared/domain/mirrors/registries-conf/registries-conf.ts",
  "shared/domain/manifests/yaml-stream.ts",
  "shared/domain/kubernetes/json/values.ts",
]);
/** The one accepted way to index by a name from outside, which asks before whether the object itself has the name. */
const helper = "shared/domain/kubernetes/json/values.ts";

const expressions: Rule = (node, _checker, textOf) => {
  if (node.kind === SyntaxKind.RegularExpressionLiteral) return "literal";
  const isMade = isNewExpression(node) || isCallExpression(node);
  return isMade && textOf(node.expression) === "RegExp" ? "constructor" : undefined;
};

const found = findInCode({
  sentences: {
    isWanted: (file) => file === sentenceExamples || (writesSentences(file) && !content.has(file)),
    rule: plainSentences,
  },
  names: { isWanted: (file) => file === nameExamples || isProduction(file), rule: outsideNames },
  expressions: { isWanted: isProduction, rule: expressions },
});

test("When a sentence has a value from outside, it should have the tag sentence, which removes credentials from it", () => {
  const refused = found.sentences.filter(({ file }) => file !== sentenceExamples);
  expect(refused.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
});

test("When production code indexes an object, the name should be its own: else use ownValue, a Map or Object.hasOwn", () => {
  const refused = found.names.filter(({ file }) => file !== nameExamples && file !== helper);
  expect(refused.map(({ file, line, reason, text }) => `${file}:${line} ${reason}: ${text}`)).toEqual([]);
  expect(found.names.filter(({ file }) => file === helper).map(({ text }) => text)).toEqual(["record[name]"]);
});

test.for([
  { what: "a sentence is written", findings: found.sentences, examples: sentenceExamples },
  { what: "an object is indexed", findings: found.names, examples: nameExamples },
])(
  "When $what in any of the ways of $examples, exactly those should be refused that it says",
  ({ findings, examples }) => {
    const lines = findings.filter(({ file }) => file === examples);
    expect(lines.map(({ line, reason }) => ({ line, reason }))).toEqual(refusedLines(examples));
  },
);

/** The longest text of an expression that has no comment `// At most N characters` above it or beside it. */
const maxLength = 30_000;
const allowedSeconds = 0.1;

type Expression = Readonly<{ place: string; expression: RegExp; characters: number }>;

/** Returns the limit that is declared for an expression on this line. */
function limitAt(file: string, line: number): number {
  const lines = readFileSync(packageFile(file), "utf8")
    .split("\n")
    .slice(Math.max(0, line - 2), line);
  const [, declared] = /\/\/ At most ([\d,]+) characters/.exec(lines.join("\n")) ?? [];
  return declared === undefined ? maxLength : Number(declared.replaceAll(",", ""));
}

function literal(text: string): RegExp {
  const end = text.lastIndexOf("/");
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/** Returns the expressions that a file makes while it is loaded. */
async function madeIn(file: string): Promise<readonly Expression[]> {
  const made: Expression[] = [];
  const { RegExp: original } = globalThis;
  const record = (expression: RegExp) => {
    const [, after] = new RegExpError().stack?.split(`${file}?made:`) ?? [];
    const line = Number.parseInt(after ?? "", 10);
    if (after !== undefined)
      made.push({ place: `${file}:${line}`, expression, characters: limitAt(file, line) });
    return expression;
  };
  class RegExpError extends Error {}
  globalThis.RegExp = new Proxy(original, {
    construct: (_target, [pattern, flags]) => record(new original(pattern, flags)),
    apply: (_target, _this, [pattern, flags]) => record(new original(pattern, flags)),
  });
  try {
    await import(`${pathToFileURL(packageFile(file)).href}?made`);
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}

/**
 * Reports whether an expression takes longer than is allowed for any hostile text. Only those that take longest for a part of the
 * length are given the whole; a part of the length that takes a part of the time decides already.
 */
function isSlow({ expression, characters }: Pick<Expression, "expression" | "characters">): boolean {
  const every = new RegExp(expression.source, `${expression.flags.replace("g", "")}g`);
  let texts = hostileTexts(expression);
  // An exponential one shows in short texts, and would take hours for longer ones.
  for (const length of [24, 48, 72, characters / 100, characters / 10, characters]) {
    const allowed = allowedSeconds * Math.max(length / characters, 0.1);
    const timed: Readonly<{ text: HostileText; milliseconds: number }>[] = [];
    for (const text of texts) {
      const hostile = text(length);
      const search = () => hostile.replace(every, "");
      const before = performance.now();
      search();
      const milliseconds = performance.now() - before;
      // The first search compiles the expression, and other processes may have run meanwhile.
      if (milliseconds > 1000 * allowed && processorSeconds(search) > allowed) return true;
      timed.push({ text, milliseconds });
    }
    const kept = length < characters / 100 ? texts.length : length < characters / 10 ? 30 : 5;
    texts = timed
      .toSorted((a, b) => b.milliseconds - a.milliseconds)
      .slice(0, kept)
      .map(({ text }) => text);
  }
  return false;
}

const makers = [
  ...new Set(found.expressions.filter(({ reason }) => reason === "constructor").map(({ file }) => file)),
];
const made: Expression[] = [];
for (const file of makers) made.push(...(await madeIn(file)));

describe("regular expressions", () => {
  test("When code makes an expression, it should do so while its file is loaded: a text from outside is no expression", () => {
    const places = new Set(made.map(({ place }) => place));
    const later = found.expressions.filter(
      ({ file, line, reason }) => reason === "constructor" && !places.has(`${file}:${line}`),
    );
    expect(later.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
  });

  test("When an expression searches the longest hostile text that reaches it, it should take at most 100 ms", () => {
    const literals = found.expressions
      .filter(({ reason }) => reason === "literal")
      .map(({ file, line, text }) => ({
        place: `${file}:${line}`,
        expression: literal(text),
        characters: limitAt(file, line),
      }));
    const slow = [...literals, ...made].filter(isSlow);
    expect(slow.map(({ place, expression }) => `${place} ${expression.source}`)).toEqual([]);
  });

  test.for([/^(\w+\s?)*$/, /\{\{.*\}\}/, /[\w-]+(?=\W*$)/, /^\s*registry/m, /\/+$/])(
    "When an expression is as slow as %s, the texts should show it",
    (expression) => {
      expect(isSlow({ expression, characters: 20_000 })).toBe(true);
    },
  );
});
