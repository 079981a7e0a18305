import { describe, expect, test } from "vitest";
import { parseCatalogSelection } from "./catalog-selection.ts";

describe("parseCatalogSelection", () => {
  test.for([
    ["r.io/index:v4.20", { index: "r.io/index:v4.20", packages: [] }],
    [
      "r.io/index=a:stable, b",
      { index: "r.io/index", packages: [{ name: "a", channel: "stable" }, { name: "b" }] },
    ],
    ["", undefined],
    ["=a", undefined],
    ["r.io/index=", undefined],
    ["r.io/index=a:b:c", undefined],
  ] as const)("When it is %j, it should be read as %j", ([text, selection]) => {
    expect(parseCatalogSelection(text)).toEqual(selection);
  });
});
