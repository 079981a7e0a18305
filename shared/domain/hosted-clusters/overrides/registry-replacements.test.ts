import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decodeReplacementsLikeHypershift,
  replacementRule,
  replaceRegistry,
  replaceText,
} from "./registry-replacements.ts";

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
    { text: "a=x,a=y", expected: { a: "y" } },
    { text: "a=b,c", expected: { a: "b,c" } },
    { text: "a,b=c", expected: { "a,b": "c" } },
    { text: "a=b,", expected: { a: "b," } },
    { text: '"a=b"', expected: { a: "b" } },
    { text: '""a=b', expected: { a: "b" } },
    { text: 'a=b""', expected: { a: "b" } },
    { text: 'a"=b', expected: { 'a"': "b" } },
    { text: 'a="b', expected: { a: '"b' } },
    { text: '"a=b","c=d"', expected: { a: "b", c: "d" } },
    { text: '"a=b,c=d"', expected: { a: "b,c=d" } },
    { text: '"a=""b""",c=d', expected: { a: '"b"', c: "d" } },
    { text: "a=b=c,d=e", expected: { a: "b=c", d: "e" } },
    { text: "\n\na=b,c=d\ne=f", expected: { a: "b", c: "d" } },
    { text: "a=b,c=d\r\n", expected: { a: "b", c: "d" } },
    { text: 'a=b,"c=\nd"', expected: { a: "b", c: "\nd" } },
    { text: "a=b,c=d\r", expected: { a: "b", c: "d" } },
    { text: "a=b,c=\rd", expected: { a: "b", c: "\rd" } },
    { text: 'a=b,"c=\r\nd"', expected: { a: "b", c: "\nd" } },
    { text: '"a=b","c=d"\n', expected: { a: "b", c: "d" } },
  ])("When the text is '$text', it should give $expected", ({ text, expected }) => {
    expect(shown(decodeReplacementsLikeHypershift(text))).toEqual(expected);
  });

  test.for([
    { text: "", why: " must be formatted as key=value" },
    { text: "a", why: "a must be formatted as key=value" },
    { text: "a=b,c=d,", why: " must be formatted as key=value" },
    { text: "a=b,,c=d", why: " must be formatted as key=value" },
    { text: "a=b,c=d,e", why: "e must be formatted as key=value" },
    { text: 'a="b",c=d', why: misplacedQuote },
    { text: '"a=b"c,d=e', why: misplacedQuote },
    { text: '"a=b,c=d', why: misplacedQuote },
    { text: 'x=y,"a=\nb"c=d', why: misplacedQuote },
    { text: '\n"a=\nb","c=d', why: misplacedQuote },
  ])("When the text is '$text', it should refuse it with the program's message", ({ text, why }) => {
    const expected = `invalid argument ${JSON.stringify(text)} for "--registry-overrides" flag: ${why}`;
    expect(shown(decodeReplacementsLikeHypershift(text))).toBe(expected);
  });
});

const map = (object: Readonly<Record<string, string>>) => new Map(Object.entries(object));

describe("replaceRegistry", () => {
  test.for([
    { image: "quay.io/ocp/rel:4", given: { "quay.io": "m.io" }, expected: "m.io/ocp/rel:4" },
    { image: "quay.io:5000/ocp/rel:4", given: { "quay.io": "m.io" }, expected: "quay.io:5000/ocp/rel:4" },
    { image: "quay.io:5000/ocp/rel:4", given: { "quay.io:5000": "m.io" }, expected: "m.io/ocp/rel:4" },
    {
      image: "quay.io/ocp/rel:4",
      given: { "quay.io": "m.io", "quay.io/ocp": "n.io" },
      expected: "n.io/rel:4",
    },
    {
      image: "quay.io/ocp/rel:4",
      given: { "quay.io/ocp": "n.io", "quay.io": "m.io" },
      expected: "n.io/rel:4",
    },
    { image: "quay.io/ocp/rel:4", given: { "quay.io/ocp/rel": "n.io/z" }, expected: "n.io/z:4" },
    { image: "quay.io/ocp/rel", given: { "quay.io/ocp/rel": "n.io/z" }, expected: "n.io/z" },
    { image: "quay.io/ocp-dev/rel:4", given: { "quay.io/ocp": "n.io" }, expected: "quay.io/ocp-dev/rel:4" },
    { image: "quay.io/ocp/rel@D", given: { "quay.io/ocp/rel": "n.io/r" }, expected: "n.io/r@D" },
    { image: "quay.io/ocp/rel:4", given: { "quay.io/": "n.io/" }, expected: "quay.io/ocp/rel:4" },
    { image: "quay.io/ocp/rel", given: { "": "n.io" }, expected: "quay.io/ocp/rel" },
    { image: "", given: { "": "n.io" }, expected: "" },
    { image: "/rel", given: { "": "n.io" }, expected: "/rel" },
    { image: "quay.io/ocp/rel", given: { "abcd.io": "n.io" }, expected: "quay.io/ocp/rel" },
  ])("When $given applies to $image, it should be $expected", ({ image, given, expected }) => {
    expect(replaceRegistry(image, map(given))).toBe(expected);
  });
});

/** All orders of some things. */
function ordersOf<Thing>(things: readonly Thing[]): readonly (readonly Thing[])[] {
  if (things.length === 0) return [[]];
  return things.flatMap((first, at) =>
    ordersOf(things.filter((_, index) => index !== at)).map((rest) => [first, ...rest]),
  );
}

describe("replaceText", () => {
  test.for([
    { image: "quay.io/ocp/rel:4", given: { "quay.io": "m.io" }, expected: ["m.io/ocp/rel:4"] },
    { image: "quay.io/ocp-dev/rel:4", given: { "quay.io/ocp": "m.io/x" }, expected: ["m.io/x-dev/rel:4"] },
    { image: "a.io/quay.io/rel", given: { "quay.io": "m.io" }, expected: ["a.io/m.io/rel"] },
    { image: "quay.io/ocp/rel", given: { "docker.io": "m.io" }, expected: ["quay.io/ocp/rel"] },
    {
      image: "quay.io/ocp/rel",
      given: { "quay.io": "m.io", "quay.io/ocp": "n.io" },
      expected: ["m.io/ocp/rel", "n.io/rel"],
    },
    { image: "a/x", given: { a: "b", b: "c" }, expected: ["b/x", "c/x"] },
    { image: "quay.io/$&", given: { "quay.io": "$&" }, expected: ["$&/$&"] },
  ])("When $given applies to $image in any order, it should be $expected", ({ image, given, expected }) => {
    expect(replaceText(image, map(given))).toEqual(expected);
  });

  test("When sources are replaced one after the other, it should give what their orders give, and nothing else", () => {
    const text = fc.stringMatching(/^[ab]{1,3}$/);
    fc.assert(
      fc.property(
        fc.stringMatching(/^[abc]{1,6}$/),
        fc.dictionary(text, fc.stringMatching(/^[abc]{0,3}$/), { maxKeys: 4 }),
        (image, given) => {
          const expected = ordersOf(Object.entries(given)).map((order) =>
            order.reduce((name, [source, target]) => name.replace(source, target), image),
          );
          expect(replaceText(image, map(given))).toEqual([...new Set(expected)].sort());
        },
      ),
    );
  });
});

describe("replacementRule", () => {
  const given = map({ "quay.io/ocp": "m.io/x" });
  const image = "quay.io/ocp-dev/rel:4";
  test.for([
    { minor: "4.16", names: ["m.io/x-dev/rel:4"], release: "quay.io/ocp/rel:4" },
    { minor: "4.20", names: ["m.io/x-dev/rel:4"], release: "quay.io/ocp/rel:4" },
    { minor: "4.21", names: [image], release: "quay.io/ocp/rel:4" },
    { minor: "5.0", names: [image], release: "quay.io/ocp/rel:4" },
    { minor: "5.1", names: [image], release: "m.io/x/rel:4" },
    { minor: undefined, names: [image], release: "m.io/x/rel:4" },
  ])("When the control plane's release is $minor, its rule should count", ({ minor, names, release }) => {
    const [major = 0, number = 0] = (minor ?? "").split(".").map(Number);
    const rule = replacementRule(minor === undefined ? undefined : { major, minor: number });
    expect(rule.namesOf(image, given)).toEqual(names);
    expect(rule.releaseName("quay.io/ocp/rel:4", given)).toBe(release);
  });
});
