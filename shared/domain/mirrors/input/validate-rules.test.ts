import { describe, expect, test } from "vitest";
import { processorSeconds } from "../../../../test/support/setup/processor-seconds.ts";
import { anImageContentSourcePolicy, anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";
import { readMirrorObjects } from "./read-mirror-sets.ts";
import { type Refusing, validateRules } from "./validate-rules.ts";

const never = "NeverContactSource";
const digestSet = (...rules: unknown[]) => anImageDigestMirrorSet("digest", rules);
const tagSet = (...rules: unknown[]) => anImageTagMirrorSet("tag", rules);
const policy = (...rules: unknown[]) => anImageContentSourcePolicy("old", rules);

const validate = (objects: Parameters<typeof readMirrorObjects>[0], refusing: Refusing = "anyone") => {
  const { usable, refused, issues } = validateRules(readMirrorObjects(objects).rules, refusing);
  return {
    usable: usable.map(({ source }) => source),
    refused: refused.map(({ source }) => source),
    issues: issues.map(({ code, severity, object, path }) => `${severity} ${code} ${object.name} ${path}`),
    messages: issues.map(({ message }) => message),
  };
};

const conflict = (source: string) =>
  `conflicting mirrorSourcePolicy is set for the same source "${source}" in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies`;

describe("validateRules", () => {
  test("When rules are valid, it should take them all", () => {
    const objects = [
      digestSet({ source: "a.io", mirrors: ["m", "a.io"] }, { source: "*.b.io", mirrorSourcePolicy: never }),
      policy({ source: "a.io", mirrors: ["n"] }),
      tagSet({ source: "a.io", mirrors: ["m"], mirrorSourcePolicy: "AllowContactingSource" }),
    ];
    expect(validate(objects)).toEqual({
      usable: ["a.io", "*.b.io", "a.io", "a.io"],
      refused: [],
      issues: [],
      messages: [],
    });
  });

  test("When a policy is unknown, only machine-config-operator should find it in contradiction to others", () => {
    const objects = [
      digestSet(
        { source: "a.io", mirrors: ["m"], mirrorSourcePolicy: never },
        { source: "a.io", mirrors: ["n"], mirrorSourcePolicy: "Never" },
      ),
    ];
    expect(validate(objects)).toMatchObject({ usable: ["a.io"], refused: ["a.io"] });
    expect(validate(objects, "operator").messages).toContain(conflict("a.io"));
  });

  test("When a contradicting rule is wrong otherwise too, it should still count as contradicting", () => {
    const objects = [
      digestSet({ source: "a.io", mirrors: ["BAD/X"], mirrorSourcePolicy: never }),
      tagSet({ source: "a.io", mirrors: ["m"] }),
    ];
    expect(validate(objects).usable).toEqual([]);
  });

  test("When rules of a source disagree, it should be one issue at the first that blocks it, and refuse them all", () => {
    const blocked = { source: "a.io", mirrors: ["m"], mirrorSourcePolicy: never };
    const { rules } = readMirrorObjects([
      digestSet({ source: "a.io", mirrors: ["m"] }, { source: "b.io", mirrors: ["m"] }),
      tagSet(blocked, blocked),
    ]);
    const { issues, refused } = validateRules(rules, "anyone");
    expect(refused.map(({ source }) => source)).toEqual(["a.io", "a.io", "a.io"]);
    const at = (name: string, path: string) => ({
      object: { name },
      path: `spec.${path}.mirrorSourcePolicy`,
    });
    const conflicting = [at("digest", "imageDigestMirrors[0]"), at("tag", "imageTagMirrors[1]")];
    expect(issues).toMatchObject([
      {
        ...at("tag", "imageTagMirrors[0]"),
        conflicting,
        remedy: expect.stringMatching(/AllowContactingSource in ImageDigestMirrorSet\/digest/),
      },
    ]);
  });

  const a = (...mirrors: string[]) => ({ source: "a.io", mirrors });
  const chosen = (mirrorSourcePolicy: string) => digestSet({ ...a("m"), mirrorSourcePolicy });
  const [twice, unknown] = ["a mirror set repeats a mirror", "the policy is unknown"];
  const at = "digest spec.imageDigestMirrors[0]";
  const [inTags, inOld] = [
    "tag spec.imageTagMirrors[0].mirrors",
    "old spec.repositoryDigestMirrors[0].mirrors",
  ];
  const noSuch = `InvalidMirrorSourcePolicy ${at}.mirrorSourcePolicy`;
  const repeated = [1, 2].map((index) => `warning DuplicateMirror ${inTags}[${index}]`);

  test.for<
    [name: string, refusing: Refusing, object: ReturnType<typeof digestSet>, issues: string[], usable: number]
  >([
    [twice, "anyone", digestSet(a("m", "n", "m")), [`error DuplicateMirror ${at}.mirrors[2]`], 0],
    [twice, "operator", tagSet(a("m", "m", "m")), repeated, 1],
    ["a policy repeats a mirror", "anyone", policy(a("m", "m")), [`warning DuplicateMirror ${inOld}[1]`], 1],
    [unknown, "anyone", chosen("Never"), [`error ${noSuch}`], 0],
    [unknown, "operator", chosen("Never"), [`warning ${noSuch}`], 1],
    ["the policy is empty", "anyone", chosen(""), [`error ${noSuch}`], 0],
    ["no source is set", "operator", digestSet({ mirrors: ["m"] }), [`error InvalidSource ${at}.source`], 0],
  ])("When $0 and the mode is $1, it should report $3", ([, refusing, object, issues, usable]) => {
    const validated = validate([object], refusing);
    expect(validated.issues).toEqual(issues);
    expect(validated.usable).toHaveLength(usable);
  });

  test("When the operator refuses, it should report failures in the operator's order of checks", () => {
    const objects = [
      tagSet({ source: "a.io", mirrors: ["m"], mirrorSourcePolicy: never }),
      policy({ source: "b.io", mirrors: ["BAD/X"] }),
      digestSet({ source: "a.io", mirrors: ["m"], mirrorSourcePolicy: "" }, { source: "a.io" }),
    ];
    expect(validate(objects, "operator").issues).toEqual([
      "warning InvalidMirrorSourcePolicy digest spec.imageDigestMirrors[0].mirrorSourcePolicy",
      "error InvalidMirror old spec.repositoryDigestMirrors[0].mirrors[0]",
      "error ConflictingMirrorSourcePolicy tag spec.imageTagMirrors[0].mirrorSourcePolicy",
    ]);
  });

  test("When a rule has ten times as many repeated mirrors, it should take about ten times as long", () => {
    const secondsFor = (count: number): number => {
      const mirrors = Array.from({ length: count }, (_, index) => `m${index % (count / 2)}`);
      return processorSeconds(() =>
        expect(validate([policy({ source: "a.io", mirrors })]).issues).toHaveLength(count / 2),
      );
    };
    secondsFor(4_000);
    expect(secondsFor(40_000) / secondsFor(4_000)).toBeLessThan(50);
  });
});
