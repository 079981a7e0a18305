import { expect, test } from "vitest";
import type { RegistryAccess } from "../../ports/registry.ts";
import { authoritiesFor, authoritiesKey, isInsecure, trustKey } from "./registry-trust.ts";

test.for([
  ["a.lan:5000", ["a.lan:5000"], true],
  ["a.lan:5000", ["a.lan"], true],
  ["a.lan", ["a.lan:5000"], false],
  ["x.a.lan:5000", ["*.lan"], true],
  ["a.lan", ["*.a.lan"], false],
  [".lan", ["*.lan"], false],
  ["a.lan.example.com", ["*.lan", "a.lan"], false],
  ["a.lan", ["a.lan/ns"], false],
  ["a.lan", [], false],
] as const)("When the host is %s and insecure are %j, it should be %s", ([host, insecure, wanted]) => {
  expect(isInsecure(host, insecure)).toBe(wanted);
});

test.for<readonly [string, RegistryAccess, string]>([
  ["a.lan", {}, ""],
  ["a.lan", { authorities: "all" }, "all"],
  ["a.lan:5000", { authorities: "all", authoritiesOf: { "a.lan:5000": "its" } }, "all\nits"],
  ["a.lan:5000", { authoritiesOf: { "a.lan:5000": "its" } }, "its"],
  ["a.lan", { authorities: "all", authoritiesOf: { "a.lan:5000": "its", "b.lan": "other" } }, "all"],
  ["constructor", { authorities: "all", authoritiesOf: {} }, "all"],
])("When %s is accessed with %j, its authorities should be %j", ([host, access, wanted]) => {
  expect(authoritiesFor(host, access)).toBe(wanted);
});

/** Accesses that trust different authorities for `a.lan`. */
const different: readonly RegistryAccess[] = [
  {},
  { authorities: "all" },
  { authorities: "all", authoritiesOf: { "a.lan": "its" } },
  { authorities: "all", authoritiesOf: { "a.lan": "other" } },
  { authoritiesOf: { "a.lan": "all,its" } },
];

test("When authorities differ, no connection or cached value should be shared, however long a bundle is", () => {
  for (const keyOf of [trustKey, (access: RegistryAccess) => authoritiesKey("a.lan", access)]) {
    expect(new Set(different.map(keyOf)).size).toBe(different.length);
    expect(different.map((access) => keyOf({ ...access }))).toEqual(different.map(keyOf));
    expect(keyOf({ authorities: "x".repeat(400_000) }).length).toBeLessThan(200);
  }
  expect(trustKey({ insecureHosts: ["b", "a"] })).toBe(trustKey({ insecureHosts: ["a", "b"] }));
  expect(trustKey({ insecureHosts: ["a"] })).not.toBe(trustKey({}));
});
