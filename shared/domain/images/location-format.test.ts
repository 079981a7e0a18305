import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { isMirror, isRenderableScope, isSource } from "./location-format.ts";

// As published with the API. Run by an engine in linear time: JavaScript's own would need years for some inputs.
const label = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const location = `((?:${label})(?:(?:\\.${label})+)?(?::[0-9]+)?)(?:(?:/[a-z0-9]+(?:(?:(?:[._]|__|[-]*)[a-z0-9]+)+)?)+)?`;
const publishedMirror = RE2JS.compile(`^${location}$`);
const publishedSource = RE2JS.compile(`^\\*(?:\\.${label})+$|^${location}$`);

describe("both formats", () => {
  const near = fc.string({ unit: fc.constantFrom(..."aA1-._/:*@"), maxLength: 24 });
  const part = fc.constantFrom("a", "b9", "Z", "-", "--", ".", "_", "__", "/", ":", ":80", "*", "*.", "\n");
  const joined = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));

  const longer = [
    "quay.io/openshift-release-dev/ocp-release",
    "mirror.lab:5000000/team/app",
    "quay.io/a__b/c.d/e-----f/g_h",
    "quay.io/a___b",
    "quay.io/a._b",
    `quay.io/x@sha256:${"0".repeat(64)}`,
    "[::1]:5000/x",
    "*.a-b--c.io-9",
    "*.a.io:5000",
    "a.*.io",
  ];

  test.for(longer)("When the value is %j, they should agree with the published expressions", (value) => {
    expect(isMirror(value)).toBe(publishedMirror.matcher(value).find());
    expect(isSource(value)).toBe(publishedSource.matcher(value).find());
  });

  test("When any value is given, they should agree with the published expressions", () => {
    fc.assert(
      fc.property(fc.oneof(near, joined, fc.string()), (value) => {
        expect(isMirror(value)).toBe(publishedMirror.matcher(value).find());
        expect(isSource(value)).toBe(publishedSource.matcher(value).find());
      }),
      { numRuns: 3000 },
    );
  });

  test("When every short value is tried, they should agree with the published expressions", () => {
    const alphabet = [..."aA1-._/:*"];
    let values = [""];
    for (let length = 0; length <= 4; length++) {
      for (const value of values) {
        if (isMirror(value) !== publishedMirror.matcher(value).find()) expect.fail(`mirror ${value}`);
        if (isSource(value) !== publishedSource.matcher(value).find()) expect.fail(`source ${value}`);
      }
      values = values.flatMap((value) => alphabet.map((letter) => value + letter));
    }
  });

  test.for(["a", "a-", "/a", "a.", "a__", "-"])(
    "When %j is repeated to ten million characters, they should return without overflowing a stack",
    (unit) => {
      const value = `h/${unit.repeat(10_000_000 / unit.length)}!`;
      expect(isMirror(value)).toBe(false);
      expect(isSource(`*.${value}`)).toBe(false);
    },
  );
});

describe("isRenderableScope", () => {
  test.for<[string, boolean]>([
    ["quay.io", true],
    ["quay.io/x:tag", true],
    ["http://quay.io", true],
    ["*.quay.io", true],
    ["*.", true],
    ["", false],
    ["*", false],
    ["a.*.io", false],
    ["*.a.io/x", false],
    ["*.a.io:5000", false],
    ["*.a.io@x", false],
    ["*.*.io", false],
  ])("When the scope is %j, it should return %s", ([scope, isValid]) => {
    expect(isRenderableScope(scope)).toBe(isValid);
  });
});
