import { expect, test } from "vitest";
import { parseYamlDocument, YamlDocumentError } from "./yaml-document.ts";

/** Each with what sigs.k8s.io/yaml 1.6.0, kubectl's reader, makes of it. */
const scalars: readonly [string, unknown][] = [
  ["y", true],
  ["Y", true],
  ["n", false],
  ["yes", true],
  ["No", false],
  ["on", true],
  ["OFF", false],
  ["oN", "oN"],
  ["true", true],
  ["tRue", "tRue"],
  ["~", null],
  ["Null", null],
  ["nULL", "nULL"],
  ["", null],
  ["0", 0],
  ["-0", 0],
  ["+1", 1],
  ["01", 1],
  ["010", 8],
  ["08", 8],
  ["0o10", 8],
  ["0x1F", 31],
  ["-0b1", -1],
  ["0x1_0", 16],
  ["1_000", 1000],
  ["_1", "_1"],
  ["1_", 1],
  ["1e3", 1000],
  ["1.", 1],
  [".5", 0.5],
  ["1_0.5", 10.5],
  ["+_9", 9],
  ["8.e_7", 80_000_000],
  [".5_0", 0.5],
  [".5_", ".5_"],
  [".", "."],
  ["1e", "1e"],
  ["1e400", "1e400"],
  ["0x", "0x"],
  ["0b2", "0b2"],
  ["0x1.8p1", "0x1.8p1"],
  ["1:30", "1:30"],
  ["190:20:30", "190:20:30"],
  ["2024-01-01", "2024-01-01"],
  ["!!timestamp 2024-01-01", "2024-01-01"],
  ["4.18", 4.18],
  ["'1'", "1"],
  ['"yes"', "yes"],
  ["!!str 1", "1"],
  ["!!int '3'", 3],
  ["!!binary aGVsbG8=", "hello"],
  ["!custom b", "b"],
  ["<<", "<<"],
  ["=", "="],
  ["<port>", "<port>"],
  ["b#c", "b#c"],
  ["b\n c", "b c"],
];

test.for(scalars)("When a value is written as %s, it should be read as %s", ([text, value]) => {
  expect(parseYamlDocument(`a: ${text}\n`).value).toEqual({ a: value });
});

const documents: readonly [string, string, unknown][] = [
  ["keys are not strings", "0x10: a\n010: b\non: c\n1.5: d\n", { 16: "a", 8: "b", true: "c", "1.5": "d" }],
  [
    "a merge key stands first, explicit keys should win",
    "x: &x {a: 1, b: 2}\nz:\n  <<: *x\n  a: 9\n",
    { x: { a: 1, b: 2 }, z: { a: 9, b: 2 } },
  ],
  [
    "a merge key stands last, it should overwrite as in kubectl",
    "x: &x {a: 1}\nz:\n  a: 9\n  <<: *x\n",
    { x: { a: 1 }, z: { a: 1 } },
  ],
  ["maps are merged, the first should win", "z:\n  <<: [{a: 1}, {a: 2, c: 3}]\n", { z: { a: 1, c: 3 } }],
  ["a merge key is quoted, it should be a key like others", '"<<": {b: 1}\nc: 2\n', { "<<": { b: 1 }, c: 2 }],
  ["an alias repeats an anchor", "a: &x [1]\nb: *x\n", { a: [1], b: [1] }],
  ["a version directive stands above", "%YAML 1.1\n---\na: yes\n", { a: true }],
];

test.for(documents)("When %s, it should read as kubectl does", ([, text, value]) => {
  expect(parseYamlDocument(text).value).toEqual(value);
});

const refused: readonly [string, string, string][] = [
  ["a number is infinite", "a: .inf", "1:4 .inf is not a JSON number"],
  ["a key is null", "~: a", "1:1 A key must be a string, this one is null"],
  ["a key is a list", "? [1]\n: a", "1:3 A key must be a string, this one is a collection or an alias"],
  ["a merge has no map", "a:\n  <<: 1", "2:3 A merge key << needs a map or a list of maps"],
  ["an anchor is unknown", "a: *x", "1:4 There is no anchor &x before this alias"],
  ["an anchor contains itself", "a: &a [*a]", "1:8 The anchor &a contains itself"],
  ["a key is given twice in other words", "true: 1\nyes: 2", '2:1 The key "true" is given twice'],
];

test.for(refused)("When %s, it should be refused with its position", ([, text, reported]) => {
  try {
    expect.unreachable(JSON.stringify(parseYamlDocument(text)));
  } catch (error) {
    expect(error).toBeInstanceOf(YamlDocumentError);
    if (error instanceof YamlDocumentError)
      expect(`${error.line}:${error.column} ${error.message}`).toBe(reported);
  }
});

test("When a document was invalid, later errors should have a stack trace again", () => {
  expect(() => parseYamlDocument('a: "\\q"')).toThrow(YamlDocumentError);
  expect(new Error("later").stack).toMatch(/\n\s+at /);
});
