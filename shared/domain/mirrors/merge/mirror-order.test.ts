import { expect, test } from "vitest";
import { type Cut, placeInOrder } from "./mirror-order.ts";

test("When a cycle has to be cut, it should report the name and those it waits for", () => {
  const cuts: Cut[] = [];
  expect(
    placeInOrder(
      [
        ["h", "d", "c"],
        ["c", "d"],
      ],
      (cut) => cuts.push(cut),
    ),
  ).toEqual(["h", "c", "d"]);
  expect(cuts).toEqual([{ name: "c", waitingFor: ["d"] }]);
});

test("When a name waits for several, it should list them sorted", () => {
  const cuts: Cut[] = [];
  placeInOrder(
    ["d", "c", "b"].map((other) => [other, "a", other]),
    (cut) => cuts.push(cut),
  );
  expect(cuts[0]).toEqual({ name: "a", waitingFor: ["b", "c", "d"] });
});

test("When no cycle has to be cut, it should report nothing", () => {
  placeInOrder(
    [
      ["a", "b"],
      ["b", "c"],
    ],
    ({ name }) => expect.fail(`cut at ${name}`),
  );
});

test("When a chain is very long, it should not overflow the stack", () => {
  const heads = Array.from({ length: 200_000 }, (_, index) => [`m${index}`, "s"]);
  expect(
    placeInOrder([["first", "s"], ...heads, ...heads.map(([head = ""]) => ["first", head])]),
  ).toHaveLength(200_002);
});
