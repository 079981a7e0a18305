import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aRule } from "../fixtures.ts";
import { mergeRules, placeInOrder } from "./merge.ts";

describe("mergeRules", () => {
  test.for<readonly [what: string, lists: readonly string[], merged: string, source?: string]>([
    ["of one rule are alone", ["c b a"], "c b a"],
    ["end with the source", ["c b s"], "c b"],
    ["begin with the source", ["s c b"], "s c b"],
    ["are given twice", ["c b", "c b"], "c b"],
    ["share a mirror", ["a b c", "c d e"], "a b c d e"],
    ["have nothing in common", ["z", "a"], "a z"],
    ["wait for several", ["p x", "q x", "p a"], "p q a x"],
    ["become ready together", ["r b z", "r c a"], "r b c z a"],
    ["contradict each other", ["a b c", "c b a"], "a b c"],
    ["contradict each other after a free one", ["h d c", "c d"], "h c d"],
    ["have the source between them", ["z s y", "s y x"], "z s y x"],
    ["repeat one", ["z z b"], "b s z"],
    ["contradict each other around the source", ["x y", "y x", "b c", "c b"], "b c m x y", "m"],
  ])("When mirrors $0, it should merge $1 to $2", ([, lists, merged, source = "s"]) => {
    const rules = lists.map((list) => aRule(source, list.split(" ")));
    expect(mergeRules(rules)).toMatchObject([{ mirrors: merged.split(" "), neverContact: false }]);
  });

  test.for([
    { name: "has no mirrors", mirrors: [] },
    { name: "only repeats its source", mirrors: ["s", "s", "s"] },
  ])("When a rule $name, it should drop the rule and its policy", ({ mirrors }) => {
    const idle = aRule("s", mirrors, { policy: "NeverContactSource" });
    expect(mergeRules([idle])).toEqual([]);
    expect(mergeRules([idle, aRule("s", ["m"])])).toMatchObject([{ mirrors: ["m"], neverContact: false }]);
  });

  test("When one rule forbids its source, it should forbid that source only, and sort by source", () => {
    const rules = [
      aRule("z.io", ["m"]),
      aRule("B.io", ["m"]),
      aRule("a.io", ["m"], { policy: "NeverContactSource" }),
      aRule("a.io", ["l"]),
      aRule("*.io", ["m"]),
    ];
    expect(mergeRules(rules)).toMatchObject([
      { source: "*.io", neverContact: false },
      { source: "B.io", neverContact: false },
      { source: "a.io", mirrors: ["l", "m"], neverContact: true },
      { source: "z.io", neverContact: false },
    ]);
  });

  test("When rules agree with one order, it should keep each rule's own order", () => {
    const order = ["f", "b", "e", "a", "d", "c"];
    fc.assert(
      fc.property(fc.array(fc.subarray(order, { minLength: 1 }), { minLength: 1, maxLength: 5 }), (lists) => {
        const [merged] = mergeRules(lists.map((mirrors) => aRule("s", mirrors)));
        for (const mirrors of lists) {
          expect(merged?.mirrors.filter((mirror) => mirrors.includes(mirror))).toEqual(mirrors);
        }
      }),
    );
  });
});

test("When a chain is very long, it should not overflow the stack", () => {
  const heads = Array.from({ length: 200_000 }, (_, index) => [`m${index}`, "s"]);
  expect(
    placeInOrder([["first", "s"], ...heads, ...heads.map(([head = ""]) => ["first", head])]),
  ).toHaveLength(200_002);
});
