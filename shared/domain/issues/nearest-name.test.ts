import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

test.for<[name: string, known: readonly string[], nearest: string | undefined]>([
  ["sourse", ["source", "mirrors"], "source"],
  ["sourse", ["source", "source"], "source"],
  ["nodes", ["mirrors"], undefined],
  ["nodepool-c", ["nodepool-a", "nodepool-b"], undefined],
  ["nodepool-aa", ["nodepool-b", "nodepool-a"], "nodepool-a"],
])("When %s is not one of %j, %s should be meant", ([name, known, nearest]) => {
  expect(nearestName(name, known)).toBe(nearest);
  expect(nearestName(name, known.toReversed())).toBe(nearest);
});
