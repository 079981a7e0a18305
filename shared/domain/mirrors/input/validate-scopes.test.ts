import { expect, test } from "vitest";
import { anImage } from "../fixtures.ts";
import type { Compat } from "./validate-rules.ts";
import { validateScopes } from "./validate-scopes.ts";

const path = "spec.registrySources.blockedRegistries[0]";

test.for<[scope: string, compat: Compat, severity: "error" | "warning" | "none"]>([
  ["quay.io", "default", "none"],
  ["*.quay.io", "mco", "none"],
  ["", "default", "error"],
  ["*.a.io/x", "mco", "error"],
  ["quay*", "default", "error"],
  ["http://quay.io", "default", "error"],
  ["https://quay.io", "mco", "warning"],
  ["a.io/http://b", "default", "warning"],
  ["/", "default", "error"],
  ["quay.io/", "mco", "warning"],
  ["quay.io/x:tag", "mco", "warning"],
])("When the scope is %j and the mode is %s, it should report: %s", ([scope, compat, severity]) => {
  const { usable, issues } = validateScopes(anImage({}), "blocked", [{ scope, path }], compat);
  expect(issues.map((issue) => issue.severity)).toEqual(severity === "none" ? [] : [severity]);
  expect(usable).toEqual(severity === "error" ? [] : [{ scope, path }]);
});

test("When a scope ends with a slash, it should warn and drop it, as the runtime does", () => {
  const { usable, issues } = validateScopes(anImage({}), "blocked", [{ scope: "quay.io/", path }], "default");
  expect(usable).toEqual([{ scope: "quay.io", path }]);
  expect(issues).toMatchObject([{ severity: "warning", value: "quay.io/" }]);
});

test("When a scope is refused, it should name the list as machine-config-operator does", () => {
  const { issues } = validateScopes(anImage({}), "insecure", [{ scope: "*", path }], "default");
  expect(issues).toMatchObject([
    {
      code: "InvalidScope",
      object: { kind: "Image", name: "cluster" },
      path,
      value: "*",
      message: 'invalid entry for insecure registries "*"',
    },
  ]);
});
