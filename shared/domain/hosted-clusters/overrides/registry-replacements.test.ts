import { describe, expect, test } from "vitest";
import { decodeReplacementsLikeHypershift, replaceRegistry } from "./registry-replacements.ts";

/** The replacements as an object, or the error. */
function shown(decoded: ReturnType<typeof decodeReplacementsLikeHypershift>): unknown {
  return "error" in decoded ? decoded.error : Object.fromEntries(decoded.replacements);
}

const misplacedQuote = 'parse error: a " inside of a field, or none at its end';

describe("decodeReplacementsLikeHypershift", () => {
  test.for([
    { text: "=", expected: { "": "" } },
    { text: "a=b", expected: { a: "b" } },
    { text: "a=b,c=d", expected: { a: "b", c: "d" } },
    { text: "a,b=c", expected: { "a,b": "c" } },
    { text: '"a=b"', expected: { a: "b" } },
    { text: 'a=b""', expected: { a: "b" } },
    { text: '"a=b","c=d"', expected: { a: "b", c: "d" } },
    { text: '"a=""b""",c=d', expected: { a: '"b"', c: "d" } },
    { text: "\n\na=b,c=d\ne=f", expected: { a: "b", c: "d" } },
    { text: "a=b,c=d\r\n", expected: { a: "b", c: "d" } },
    { text: 'a=b,"c=\nd"', expected: { a: "b", c: "\nd" } },
  ])("When the text is '$text', it should give $expected", ({ text, expected }) => {
    expect(shown(decodeReplacementsLikeHypershift(text))).toEqual(expected);
  });

  test.for([
    { text: "", why: " must be formatted as key=value" },
    { text: "a=b,c=d,", why: " must be formatted as key=value" },
    { text: 'a="b",c=d', why: misplacedQuote },
    { text: '"a=b,c=d', why: misplacedQuote },
    { text: '\n"a=\nb","c=d', why: misplacedQuote },
  ])("When the text is '$text', it should refuse it with the program's message", ({ text, why }) => {
    const expected = `invalid argument ${JSON.stringify(text)} for "--registry-overrides" flag: ${why}`;
    expect(shown(decodeReplacementsLikeHypershift(text))).toBe(expected);
  });
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
