import { expect, test } from "vitest";
import { namespacedName, parseNamespacedName } from "./object.ts";

test.for([
  { key: "ztp/upgrade", namespace: "ztp", name: "upgrade" },
  { key: "/worker", namespace: "", name: "worker" },
  { key: "ztp/up/grade", namespace: "ztp", name: "up/grade" },
])("When $key is a key, it should be parsed to what it was made from", ({ key, ...parts }) => {
  expect(parseNamespacedName(key)).toEqual(parts);
  expect(namespacedName(parts)).toBe(key);
});

test("When a key has no namespace, it should be a name", () => {
  expect(parseNamespacedName("cluster")).toEqual({ namespace: "", name: "cluster" });
});
