import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anImageDigestMirrorSet, aRule } from "../fixtures.ts";
import type { MirrorRule } from "../input/rules.ts";
import { mergeRules } from "../merge/merge.ts";
import { explainOrder, type OrderExplanation } from "./explain-source.ts";

/** Rules of the source `s`, from objects `r0`, `r1`, … */
function rulesOf(lists: readonly string[], source = "s"): readonly MirrorRule[] {
  return lists.map((list, index) => ({
    ...aRule(source, list.split(" ")),
    origin: { object: anImageDigestMirrorSet(`r${index}`, []), list: "imageDigestMirrors", index },
  }));
}

/** `name rule`, then the mirrors before it, and those that rules put before it in vain (`!`). */
function shown({ location, place, after, despite }: OrderExplanation): string {
  const preferences = [...after.map(({ mirror }) => mirror), ...despite.map(({ mirror }) => `!${mirror}`)];
  return [location, place.code, ...preferences].join(" ");
}

const cases: readonly [name: string, lists: readonly string[], order: readonly string[], source?: string][] =
  [
    [
      "two lists share a mirror",
      ["a b c", "c d e"],
      ["a first", "b freed a", "c freed b", "d freed c", "e freed d", "s freed c e"],
    ],
    ["two lists have nothing in common", ["z", "a"], ["a first", "z first", "s freed z a"]],
    [
      "ties are freed at different times",
      ["p x", "q x", "p a"],
      ["p first", "q first", "a freed p", "x freed p q", "s freed x a"],
    ],
    [
      "two mirrors are freed together",
      ["r b z", "r c a"],
      ["r first", "b freed r", "c freed r", "z freed b", "a freed c", "s freed z a"],
    ],
    [
      "two lists contradict each other",
      ["a b c", "c b a"],
      ["a cut !b", "b cut a !c", "c freed b", "s freed c a"],
    ],
    [
      "a cycle follows a free mirror",
      ["h d c", "c d"],
      ["h first", "c cut !d", "d freed h c", "s freed c d"],
    ],
    ["lists place the source midway", ["z s y", "s y x"], ["z first", "s freed z", "y freed s", "x freed y"]],
    ["a mirror follows itself", ["z z b"], ["b cut !z", "s freed b", "z cut !z"]],
    [
      "two cycles with the source between them",
      ["x y", "y x", "b c", "c b"],
      ["b cut !c", "c freed b", "m cut c b !y !x", "x cut !y", "y freed x"],
      "m",
    ],
  ];

describe("the order of the mirrors of one source", () => {
  test.for(cases)("When $0 ($1), it should say $2", ([, lists, order, source]) => {
    expect(explainOrder(rulesOf(lists, source)).map(shown)).toEqual(order);
  });

  test("When a mirror is ready, it should name its predecessor, and those ready with it", () => {
    const texts = explainOrder(rulesOf(["r b z", "r c a"])).map(({ place }) => place.text);
    expect(texts).toEqual([
      "Ready from the start: no rule puts anything before it.",
      "Ready once r is placed. So is c; mirrors that become ready together are sorted by name.",
      "Ready once r is placed. So is b; mirrors that become ready together are sorted by name.",
      "Ready once b is placed.",
      "Ready once c is placed.",
      "Ready once a is placed.",
    ]);
  });

  test("When a mirror waited for several where a cycle was cut, it should list all of them", () => {
    const [cut] = explainOrder(rulesOf(["a c", "c a", "b c", "c b", "b a"]));
    expect(cut?.place.text).toMatch(/waits for b, c\.$/);
  });

  test("When a cycle is cut, it should name the mirrors that it waits for", () => {
    const [first] = explainOrder(rulesOf(["a b", "c a", "b a"]));
    expect(first?.place.code).toBe("first");
    const cut = explainOrder(rulesOf(["a b", "b a"]))[0];
    expect(cut?.place.text).toMatch(/contradict each other.*first by name.*waits for b\.$/);
  });

  test("When rules put a mirror somewhere, it should name them, and every mention of it", () => {
    const explained = explainOrder(rulesOf(["a b", "a b c", "b a"]));
    const b = explained.find(({ location }) => location === "b");
    const origin = (name: string, path: string) => ({ kind: "ImageDigestMirrorSet", name, path });
    expect(b?.listedBy).toEqual([
      origin("r0", "spec.imageDigestMirrors[0].mirrors[1]"),
      origin("r1", "spec.imageDigestMirrors[1].mirrors[1]"),
      origin("r2", "spec.imageDigestMirrors[2].mirrors[0]"),
    ]);
    expect(b?.after).toEqual([
      {
        mirror: "a",
        because: [origin("r0", "spec.imageDigestMirrors[0]"), origin("r1", "spec.imageDigestMirrors[1]")],
      },
    ]);
    const a = explained.find(({ location }) => location === "a");
    expect(a?.despite).toEqual([{ mirror: "b", because: [origin("r2", "spec.imageDigestMirrors[2]")] }]);
  });

  test("When lists are random, it should explain the very order of the merge, preference by preference", () => {
    const list = fc.array(fc.constantFrom(..."abcds"), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 4 }), (lists) => {
        const rules = rulesOf(lists.map((names) => names.join(" ")));
        const [merged] = mergeRules(rules);
        fc.pre(merged !== undefined && merged.rules.length === rules.length);
        const explained = explainOrder(rules);
        const order = explained.map(({ location }) => location);
        expect(order.at(-1) === "s" ? order.slice(0, -1) : order).toEqual(merged?.mirrors);
        for (const [index, { after, despite, place }] of explained.entries()) {
          for (const { mirror } of after) expect(order.indexOf(mirror)).toBeLessThan(index);
          for (const { mirror } of despite) expect(order.indexOf(mirror)).toBeGreaterThanOrEqual(index);
          expect(place.code === "cut").toBe(despite.length > 0);
          expect(place.code === "first").toBe(after.length + despite.length === 0);
        }
      }),
    );
  });
});
