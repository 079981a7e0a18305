import { expect, test } from "vitest";
import type { RegistryAccess } from "../../ports/registry.ts";
import { authoritiesFor } from "./authorities.ts";

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
