import { describe, expect, test } from "vitest";
import { tryParseImageReference } from "../../images/image-reference.ts";
import { aRule, payloadRepository as R, releaseImage } from "../fixtures.ts";
import { mergeRules } from "../merge/merge.ts";
import { anEntry } from "../registries-conf/fixtures.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";
import { isPayloadReachable, rulesThatBreakPayload, unreachablePayload } from "./payload.ts";

const payload = tryParseImageReference(releaseImage) ?? expect.fail("the release image is not a reference");

describe("rulesThatBreakPayload", () => {
  const broken = (...rules: [source: string, mirrors: string[]][]) =>
    rulesThatBreakPayload(mergeRules(rules.map(([source, mirrors]) => aRule(source, mirrors))), payload).map(
      ({ source, mirrors }) => [source, ...mirrors].join(" "),
    );

  test("When no source matches the payload, it should return none", () => {
    expect(broken(["a.io", ["m.lab"]])).toEqual([]);
  });

  test("When one of a rule's mirrors is a bare host, it should return only that rule", () => {
    expect(broken([R, ["m.lab/ocp", "n.lab"]], [R, ["m.lab/ocp"]], ["a.io", ["m.lab"]])).toEqual([
      `${R} m.lab/ocp n.lab`,
    ]);
  });

  test("When a rule names its source among its mirrors, it should not matter", () => {
    expect(broken([R, [R, "m.lab/ocp"]])).toEqual([]);
  });

  test("When the mirror of a registry is a bare host, it should be valid, because the path follows", () => {
    expect(broken(["quay.io", ["m.lab"]])).toEqual([]);
  });
});

const entry = (location: string, mirrors: readonly string[], blocked = false) =>
  anEntry(location, {
    blocked,
    mirrors: mirrors.map((mirror) => ({ location: mirror, insecure: false, pullFromMirror: "" })),
  });

describe("isPayloadReachable", () => {
  test.for<[name: string, entries: readonly RegistryEntry[], reachable: boolean]>([
    ["no entry matches", [entry("a.io", [], true)], true],
    ["its source is open", [entry(R, ["m.lab/ocp"])], true],
    ["its source is blocked", [entry(R, [], true)], false],
    ["a mirror is open", [entry(R, ["m.lab/ocp"], true)], true],
    ["its mirror is blocked too", [entry(R, ["m.lab/ocp"], true), entry("m.lab", [], true)], false],
    ["one rewritten reference is invalid, so all fail", [entry(R, ["m.lab/ocp", "n.lab"])], false],
  ])("When $0, it should return $2", ([, entries, reachable]) => {
    expect(isPayloadReachable(entries, payload)).toBe(reachable);
  });
});

describe("unreachablePayload", () => {
  const entries = [entry("quay.io", [], true)];

  test("When rules of its source are the cause, it should name each of them, and no rule of another", () => {
    const groups = mergeRules([aRule("quay.io", ["m.lab"]), aRule("a.io", ["m.lab"])]);
    expect(
      unreachablePayload([payload], { entries, groups, image: undefined, blocked: [] }, "warning"),
    ).toMatchObject([{ severity: "warning", path: "spec.imageDigestMirrors[0].source", value: "quay.io" }]);
  });
});
