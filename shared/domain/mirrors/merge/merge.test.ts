import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aRule } from "../fixtures.ts";
import type { MirrorRule } from "../input/rules.ts";
import { mergeRules } from "./merge.ts";
import { placeInOrder } from "./mirror-order.ts";

type Case = Readonly<{ name: string; source?: string; lists: string[]; merged: string }>;

const cases: readonly Case[] = [
  { name: "two lists share a mirror", lists: ["a b c", "c d e"], merged: "a b c d e" },
  { name: "two lists have nothing in common", lists: ["z", "a"], merged: "a z" },
  { name: "ties are freed at different times", lists: ["p x", "q x", "p a"], merged: "p q a x" },
  { name: "two mirrors are freed together", lists: ["r b z", "r c a"], merged: "r b c z a" },
  { name: "two lists contradict each other", lists: ["a b c", "c b a"], merged: "a b c" },
  { name: "a cycle follows a free mirror", lists: ["h d c", "c d"], merged: "h c d" },
  { name: "lists place the source midway", lists: ["z s y", "s y x"], merged: "z s y x" },
  { name: "a mirror follows itself", lists: ["z z b"], merged: "b s z" },
  {
    name: "two cycles with the source between them",
    source: "m",
    lists: ["x y", "y x", "b c", "c b"],
    merged: "b c m x y",
  },
  { name: "one list is alone", lists: ["c b a"], merged: "c b a" },
  { name: "one list ends with its source", lists: ["c b s"], merged: "c b" },
  { name: "one list begins with its source", lists: ["s c b"], merged: "s c b" },
  { name: "a list is given twice", lists: ["c b", "c b"], merged: "c b" },
];

const rulesOf = ({ source = "s", lists }: Case): readonly MirrorRule[] =>
  lists.map((list) => aRule(source, list.split(" ")));

describe("mergeRules", () => {
  test.for(cases)("When $name, it should place $lists as $merged", (row) => {
    const rules = rulesOf(row);
    const expected = [{ source: row.source ?? "s", mirrors: row.merged.split(" "), neverContact: false }];
    for (const turn of rules.keys()) {
      const merged = mergeRules([...rules.slice(turn), ...rules.slice(0, turn)]);
      expect(merged.map(({ rules: _, ...rest }) => rest)).toEqual(expected);
    }
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

  const name = fc.constantFrom(..."abcdes");
  const list = fc.array(name, { maxLength: 5 });

  test("When the rules are shuffled, it should merge them to the same mirrors", () => {
    const shuffled = fc
      .array(list, { maxLength: 6 })
      .chain((lists) =>
        fc.tuple(
          fc.constant(lists),
          fc.shuffledSubarray([...lists.keys()], { minLength: lists.length, maxLength: lists.length }),
        ),
      );
    fc.assert(
      fc.property(shuffled, ([lists, order]) => {
        const merge = (chosen: readonly (readonly string[])[]) =>
          mergeRules(chosen.map((mirrors) => aRule("s", mirrors))).map(({ mirrors }) => mirrors);
        expect(merge(order.map((index) => lists[index] ?? []))).toEqual(merge(lists));
      }),
    );
  });

  test("When a single list has no repeats, it should give what the general ordering gives", () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), (mirrors) => {
        const chain = mirrors.includes("s") ? mirrors : [...mirrors, "s"];
        const order = placeInOrder([chain]);
        const expected = order.at(-1) === "s" ? order.slice(0, -1) : order;
        const [merged] = mergeRules([aRule("s", mirrors)]);
        expect(merged?.mirrors ?? []).toEqual(expected);
      }),
    );
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
