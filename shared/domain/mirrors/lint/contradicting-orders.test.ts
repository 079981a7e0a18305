import fc from "fast-check";
import { expect, test } from "vitest";
import { anImageContentSourcePolicy, anImageDigestMirrorSet, anImageTagMirrorSet } from "../fixtures.ts";
import { chainsOf } from "../merge/merge.ts";
import { placeInOrder } from "../merge/mirror-order.ts";
import { issuesAbout, places } from "./fixtures.ts";

const rule = (...mirrors: readonly string[]) => ({ source: "foo.example.com", mirrors });
const [a, b, c] = ["a.lab", "b.lab", "c.lab"] as const;
const about = (...objects: Parameters<typeof issuesAbout>[0]["objects"]) =>
  issuesAbout({ objects }).filter(({ code }) => code === "ContradictingOrder");

test("When two objects order the same mirrors the other way round, it should say whose order applies and why", () => {
  const objects = [
    anImageDigestMirrorSet("new", [rule(a, b, c)]),
    anImageContentSourcePolicy("old", [rule(c, b, a)]),
  ];
  expect(about(...objects)).toEqual([
    {
      code: "ContradictingOrder",
      severity: "warning",
      object: { kind: "ImageContentSourcePolicy", name: "old" },
      path: "spec.repositoryDigestMirrors[0].mirrors",
      value: [c, b, a],
      message:
        "This order is lost: nodes try a.lab, b.lab, c.lab. The order of ImageDigestMirrorSet/new spec.imageDigestMirrors[0] applies: where rules contradict each other, the first mirror by name is placed first",
      remedy:
        "Write all mirrors of foo.example.com into one rule, in the order in which nodes are to try them.",
    },
  ]);
  expect(about(...objects.toReversed())).toEqual(about(...objects));
});

test.for([
  [
    "orders that fit together",
    [anImageDigestMirrorSet("a", [rule(a, b)]), anImageDigestMirrorSet("b", [rule(b, c)])],
    [],
  ],
  [
    "the same mirrors twice",
    [anImageDigestMirrorSet("a", [rule(a, b)]), anImageContentSourcePolicy("b", [rule(a, b)])],
    [],
  ],
  [
    "a part of the other's order",
    [anImageDigestMirrorSet("a", [rule(a, b, c)]), anImageDigestMirrorSet("b", [rule(a, c)])],
    [],
  ],
  [
    "the other order for tags",
    [anImageDigestMirrorSet("a", [rule(a, b)]), anImageTagMirrorSet("b", [rule(b, a)])],
    [],
  ],
  [
    "the other order in the same object",
    [anImageDigestMirrorSet("a", [rule(a, b), rule(b, a)])],
    ["ContradictingOrder ImageDigestMirrorSet/a spec.imageDigestMirrors[1].mirrors"],
  ],
  [
    "three rules in a circle",
    [
      anImageDigestMirrorSet("a", [rule(a, b)]),
      anImageDigestMirrorSet("b", [rule(b, c)]),
      anImageDigestMirrorSet("c", [rule(c, a)]),
    ],
    ["ContradictingOrder ImageDigestMirrorSet/c spec.imageDigestMirrors[0].mirrors"],
  ],
  [
    "the source before a mirror of another rule",
    [anImageDigestMirrorSet("a", [rule(a)]), anImageDigestMirrorSet("b", [rule("foo.example.com", a)])],
    ["ContradictingOrder ImageDigestMirrorSet/b spec.imageDigestMirrors[0].mirrors"],
  ],
] as const)("When rules have %s, it should report those whose order is lost", ([, objects, reported]) => {
  expect(places(about(...objects))).toEqual(reported);
});

test("When rules are merged, an order should be reported as lost exactly if the merge cut a circle", () => {
  const mirrors = fc.uniqueArray(fc.constantFrom(a, b, c, "d.lab", "e.lab"), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(mirrors, { minLength: 1, maxLength: 4 }), (lists) => {
      const rules = lists.map((list) => rule(...list));
      let isCut = false;
      placeInOrder(chainsOf(rules), () => {
        isCut = true;
      });
      const found = about(...rules.map((one, index) => anImageDigestMirrorSet(`set-${index}`, [one])));
      expect(found.length > 0).toBe(isCut);
    }),
    { numRuns: 300 },
  );
});
