import { describe, expect, test } from "vitest";
import { processorSeconds } from "../../../../test/support/setup/processor-seconds.ts";
import { isTooDeep, readJson, readResponse } from "./nesting.ts";

const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`;

describe("isTooDeep", () => {
  test.for([
    { name: "JSON of 100 levels", text: nested(100), is: false },
    { name: "JSON of 102 levels", text: nested(102), is: true },
    { name: "brackets in a string", text: `{"a":"\\"${"[".repeat(200)}"}`, is: false },
    {
      name: "brackets after an escaped backslash at a string's end",
      text: `{"\\\\":${nested(102)}}`,
      is: true,
    },
    { name: "many values beside each other", text: `[${"[],".repeat(200)}{}]`, is: false },
    { name: "arrays of TOML", text: `a = ${"[".repeat(101)}`, is: true },
    { name: "a key of TOML with many parts", text: `a${".a".repeat(101)} = 1`, is: true },
    { name: "many keys of TOML with parts", text: "a.b.c = 1.5\n".repeat(200), is: false },
    {
      name: "brackets in texts of TOML",
      text: `a = '''\n${"[".repeat(200)}'''\nb = '${"{".repeat(200)}'`,
      is: false,
    },
    { name: "brackets in a comment of TOML", text: `a = 1 # ${"[".repeat(200)}\nb = 2`, is: false },
    { name: "brackets after texts of TOML", text: `a = """x"""\nb = '\\'\nc = ${"[".repeat(101)}`, is: true },
  ])("When a text has $name, it should be too deep: $is", ({ text, is }) => {
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
