import { expect, test } from "vitest";
import { parseCatalogSelection } from "./catalog-selection.ts";

test.for([
  ["r.io/index:v4.20", { index: "r.io/index:v4.20", packages: [] }],
  [
    "r.io/index=a:stable, b",
    { index: "r.io/index", packages: [{ name: "a", channel: "stable" }, { name: "b" }] },
  ],
  ["", undefined],
  ["=a", undefined],
  ["r.io/index=", undefined],
  ["r.io/index=a:b:c", { index: "r.io/index", packages: [{ name: "a", channel: "b", version: "c" }] }],
  ["r.io/index=a:b:c:d", undefined],
] as const)("When a selection is %j, it should be read as %j", ([text, selection]) => {
  expect(parseCatalogSelection(text)).toEqual(selection);
});
