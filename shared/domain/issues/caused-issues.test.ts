import { describe, expect, test } from "vitest";
import { issuesOnlyIn } from "./caused-issues.ts";
import { issueAt } from "./fixtures.ts";

const first = issueAt("spec.imageDigestMirrors[0].source");

describe("issuesOnlyIn", () => {
  test.for([
    ["the new side has none", [first], [], 1],
    ["both sides have it", [first], [first], 0],
    ["a rule was added before it", [first], [issueAt("spec.imageDigestMirrors[1].source")], 0],
    ["it is in another file", [{ ...first, file: "a", line: 1 }], [{ ...first, file: "b", line: 7 }], 0],
    ["its value is another", [first], [issueAt(first.path, "quay.io/b:1")], 1],
    ["one of two is left", [first, first], [first], 1],
    ["only the new side has it", [], [first], 0],
  ] as const)("When $0, it should count $3", ([, before, after, fixed]) => {
    expect(issuesOnlyIn(before, after)).toHaveLength(fixed);
  });

  test("When two files have the same issue and one loses it, that file's should be fixed", () => {
    const inFile = (file: string) => ({ ...first, file });
    expect(issuesOnlyIn([inFile("a"), inFile("b")], [inFile("b")])).toEqual([inFile("a")]);
  });
});
