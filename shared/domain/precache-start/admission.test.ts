import { describe, expect, test } from "vitest";
import { admit, type Limit } from "./admission.ts";

type GroupLimit = Limit & Readonly<{ isIn(cluster: string): boolean }>;

const limitsIn = (limits: readonly GroupLimit[]) => (cluster: string) =>
  limits.filter(({ isIn }) => isIn(cluster));
const all = (max: number, takenElsewhere?: number): GroupLimit => ({
  name: "maxConcurrency",
  max,
  ...(takenElsewhere === undefined ? {} : { takenElsewhere }),
  isIn: () => true,
});
/** A site is the first letter of a cluster's name. */
const site = (letter: string, max: number): GroupLimit => ({
  name: `site ${letter}`,
  max,
  isIn: (cluster) => cluster.startsWith(letter),
});

describe("who gets a slot", () => {
  test.for<
    readonly [
      what: string,
      waiting: readonly string[],
      limits: readonly GroupLimit[],
      admitted: readonly string[],
      holding?: readonly string[] | undefined,
    ]
  >([
    ["nothing limits them", ["a1", "b1"], [], ["a1", "b1"]],
    ["there are fewer slots", ["b1", "a1", "a2"], [all(2)], ["b1", "a1"]],
    ["some are taken", ["a2", "a3"], [all(2)], ["a2"], ["a1"]],
    ["others take some", ["a2", "a3"], [all(4, 2)], ["a2"], ["a1"]],
    ["a limit was lowered below what is taken", ["a4"], [all(2)], [], ["a1", "a2", "a3"]],
    [
      "the first one's site is full",
      ["a2", "b1", "a3"],
      [all(5), site("a", 1), site("b", 1)],
      ["b1"],
      ["a1"],
    ],
    ["a site fills up", ["a1", "a2", "b1"], [all(2), site("a", 1)], ["a1", "b1"]],
  ])("When $0, the slots should go to $3", ([, waiting, limits, admitted, holding = []]) => {
    const admission = admit(waiting, holding, limitsIn(limits));
    expect(admission.admitted).toEqual(admitted);
    expect([...admission.waiting.keys()]).toEqual(waiting.filter((cluster) => !admitted.includes(cluster)));
  });

  test("When several limits are full, the reason should name the first", () => {
    const { waiting } = admit(["a2"], ["a1"], limitsIn([all(3), site("a", 1), all(1)]));
    expect(waiting.get("a2")).toBe("Waits for a slot: site a allows 1 at a time.");
  });
});
