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
    Readonly<{
      what: string;
      waiting: readonly string[];
      holding?: readonly string[];
      limits: readonly GroupLimit[];
      admitted: readonly string[];
    }>
  >([
    { what: "nothing limits them", waiting: ["a1", "b1"], limits: [], admitted: ["a1", "b1"] },
    { what: "there are fewer slots", waiting: ["b1", "a1", "a2"], limits: [all(2)], admitted: ["b1", "a1"] },
    { what: "some are taken", waiting: ["a2", "a3"], holding: ["a1"], limits: [all(2)], admitted: ["a2"] },
    {
      what: "others take some",
      waiting: ["a2", "a3"],
      holding: ["a1"],
      limits: [all(4, 2)],
      admitted: ["a2"],
    },
    {
      what: "a limit was lowered below what is taken",
      waiting: ["a4"],
      holding: ["a1", "a2", "a3"],
      limits: [all(2)],
      admitted: [],
    },
    {
      what: "the first one's site is full",
      waiting: ["a2", "b1", "a3"],
      holding: ["a1"],
      limits: [all(5), site("a", 1), site("b", 1)],
      admitted: ["b1"],
    },
    {
      what: "a site fills up",
      waiting: ["a1", "a2", "b1"],
      limits: [all(2), site("a", 1)],
      admitted: ["a1", "b1"],
    },
  ])("When $what, the slots should go to $admitted", ({ waiting, holding = [], limits, admitted }) => {
    const admission = admit(waiting, holding, limitsIn(limits));
    expect(admission.admitted).toEqual(admitted);
    expect([...admission.waiting.keys()]).toEqual(waiting.filter((cluster) => !admitted.includes(cluster)));
  });

  test("When several limits are full, the reason should name the first", () => {
    const { waiting } = admit(["a2"], ["a1"], limitsIn([all(3), site("a", 1), all(1)]));
    expect(waiting.get("a2")).toBe("Waits for a slot: site a allows 1 at a time.");
  });
});
