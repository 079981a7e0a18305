import { describe, expect, test } from "vitest";
import { processorSeconds } from "../../../../test/support/setup/processor-seconds.ts";
import { isTooDeep, readJson, readResponse } from "./nesting.ts";

const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`;

describe("isTooDeep", () => {
  test.for([
    ["JSON of 100 levels", nested(100), false],
    ["JSON of 102 levels", nested(102), true],
    ["brackets in a string", `{"a":"\\"${"[".repeat(200)}"}`, false],
    ["brackets after an escaped backslash at a string's end", `{"\\\\":${nested(102)}}`, true],
    ["many values beside each other", `[${"[],".repeat(200)}{}]`, false],
    ["arrays of TOML", `a = ${"[".repeat(101)}`, true],
    ["a key of TOML with many parts", `a${".a".repeat(101)} = 1`, true],
    ["many keys of TOML with parts", "a.b.c = 1.5\n".repeat(200), false],
    ["brackets in texts of TOML", `a = '''\n${"[".repeat(200)}'''\nb = '${"{".repeat(200)}'`, false],
    ["brackets in a comment of TOML", `a = 1 # ${"[".repeat(200)}\nb = 2`, false],
    ["brackets after texts of TOML", `a = """x"""\nb = '\\'\nc = ${"[".repeat(101)}`, true],
  ] as const)("When a text has $0, it should be too deep: $2", ([, text, is]) => {
    expect(isTooDeep(text)).toBe(is);
  });

  test.for(["[]", '"', '"\\', "'", "#", "a.", '""'])(
    "When %j is repeated, it should take linear time",
    (unit) => {
      expect(processorSeconds(() => isTooDeep(unit.repeat(1_000_000)))).toBeLessThan(1);
    },
  );
});

describe("readJson", () => {
  test.for(["-----BEGIN PRIVATE KEY-----", '{"password": hunter2}', nested(102)])(
    "When it refuses %.30s, the message should quote nothing of it",
    (text) => {
      expect(() => readJson(text)).toThrow(
        /^The (?:text is not JSON|JSON is nested more than 100 levels deep)$/,
      );
    },
  );
});

test("When one object of a list is nested too deeply, the others should be read", () => {
  const list = readResponse(`{"items":[{"a":1},{"b":${"[".repeat(9_000)}${"]".repeat(9_000)}}]}`);
  expect(list).toMatchObject({ items: [{ a: 1 }, {}] });
  expect(() => JSON.stringify(list)).not.toThrow();
});
