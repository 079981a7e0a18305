import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aRule } from "../fixtures.ts";
import { mergeRules, placeInOrder } from "./merge.ts";

/** Those with several lists are in explain-order.test.ts, with the reason of each place. */
describe("mergeRules", () => {
  test.for([
    ["is alone", ["c b a"], "c b a"],
    ["ends with its source", ["c b s"], "c b"],
    ["begins with its source", ["s c b"], "s c b"],
    ["is given twice", ["c b", "c b"], "c b"],
  ] as const)("When one list $0, it should place $1 as $2", ([, lists, merged]) => {
    const rules = lists.map((list) => aRule("s", list.split(" ")));
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
