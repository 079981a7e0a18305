import { expect, test } from "vitest";
import type { RegistryAccess } from "../../ports/registry.ts";
import { authoritiesFor, isInsecure } from "./registry-trust.ts";

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
