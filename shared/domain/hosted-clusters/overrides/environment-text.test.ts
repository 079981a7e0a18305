import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeOverrides, encodeOverrides } from "./environment-text.ts";

const overrides = (object: Readonly<Record<string, readonly string[]>>) => new Map(Object.entries(object));

describe("encodeOverrides", () => {
  test.for([
    {
      given: { "quay.io/ocp": ["m2.io/x", "m1.io/x"], "quay.io": ["z.io"] },
      text: "quay.io=z.io,quay.io/ocp=m1.io/x,quay.io/ocp=m2.io/x",
    },
    { given: { "a.b": ["1"], a: ["2"] }, text: "a=2,a.b=1" },
    { given: { "😀": ["1"], "\uffee": ["2"] }, text: "\uffee=2,😀=1" },
    { given: {}, text: "=" },
    { given: { a: [] }, text: "=" },
    { given: { "": [""] }, text: "=" },
    { given: { "": [""], q: ["m"] }, text: "=,q=m" },
  ])("When the overrides are $given, it should write '$text'", ({ given, text }) => {
    expect(encodeOverrides(overrides(given))).toBe(text);
  });
});

describe("decodeOverrides", () => {
  test.for([
    { text: "=", expected: undefined },
    { text: "", expected: undefined },
    { text: "a=x,a=y,b=z", expected: { a: ["x", "y"], b: ["z"] } },
    { text: "a=x,a=x", expected: { a: ["x", "x"] } },
    { text: "=,a=b", expected: { a: ["b"] } },
    { text: "a=b=c", expected: { a: ["b=c"] } },
    { text: " a=b , c = d", expected: { " a": ["b "], " c ": [" d"] } },
    { text: "a,b", expected: {} },
    { text: "=m,s=", expected: {} },
    { text: ",", expected: {} },
  ])("When the text is '$text', it should give $expected", ({ text, expected }) => {
    const decoded = decodeOverrides(text);
    expect(decoded && Object.fromEntries(decoded)).toEqual(expected);
  });

  test("When names have neither comma nor equals sign, it should read what was written", () => {
    const name = fc.stringMatching(/^[a-z.:/*-]{1,8}$/);
    fc.assert(
      fc.property(fc.dictionary(name, fc.array(name, { minLength: 1 }), { minKeys: 1 }), (given) => {
        const decoded = decodeOverrides(encodeOverrides(overrides(given)));
        const sorted = Object.entries(given).map(([source, mirrors]) => [source, mirrors.toSorted()]);
        expect(decoded && Object.fromEntries(decoded)).toEqual(Object.fromEntries(sorted));
      }),
    );
  });
});
