import { describe, expect, test } from "vitest";
import { decodeReplacements, replaceRegistry } from "./registry-replacements.ts";

test.for([
  { text: "=", expected: { "": "" } },
  { text: "a=b", expected: { a: "b" } },
  { text: "a=b,c=d,a=e", expected: { a: "e", c: "d" } },
  { text: "a,b=c", expected: { "a,b": "c" } },
  { text: "", expected: undefined },
  { text: "a=b,c=d,", expected: undefined },
  { text: '"a=b","c=d"', expected: undefined },
  { text: "a=b\nc=d", expected: undefined },
])("When the flag's text is '$text', it should give $expected", ({ text, expected }) => {
  const decoded = decodeReplacements(text);
  expect(decoded && Object.fromEntries(decoded)).toEqual(expected);
});

const map = (object: Readonly<Record<string, string>>) => new Map(Object.entries(object));

describe("replaceRegistry", () => {
  test.for([
    ["quay.io/ocp/rel:4", { "quay.io": "m.io" }, "m.io/ocp/rel:4"],
    ["quay.io:5000/ocp/rel:4", { "quay.io": "m.io" }, "quay.io:5000/ocp/rel:4"],
    ["quay.io:5000/ocp/rel:4", { "quay.io:5000": "m.io" }, "m.io/ocp/rel:4"],
    ["quay.io/ocp/rel:4", { "quay.io": "m.io", "quay.io/ocp": "n.io" }, "n.io/rel:4"],
    ["quay.io/ocp/rel:4", { "quay.io/ocp": "n.io", "quay.io": "m.io" }, "n.io/rel:4"],
    ["quay.io/ocp/rel:4", { "quay.io/ocp/rel": "n.io/z" }, "n.io/z:4"],
    ["quay.io/ocp-dev/rel:4", { "quay.io/ocp": "n.io" }, "quay.io/ocp-dev/rel:4"],
    ["quay.io/ocp/rel:4", { "quay.io/": "n.io/" }, "quay.io/ocp/rel:4"],
    ["quay.io/ocp/rel", { "": "n.io" }, "quay.io/ocp/rel"],
    ["", { "": "n.io" }, ""],
  ] as const)("When $1 applies to $0, it should be $2", ([image, given, expected]) => {
    expect(replaceRegistry(image, map(given))).toBe(expected);
  });
});
