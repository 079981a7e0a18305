import { describe, expect, test } from "vitest";
import { readLabelSelector, selects } from "./label-selector.ts";

const edge = { tier: "edge", site: "north" };

type Labels = Readonly<Record<string, string>>;

describe("which labels a selector selects", () => {
  test.for<{ selector: unknown; labels?: Labels; selected: boolean }>([
    { selector: {}, selected: true },
    { selector: { matchLabels: { tier: "edge" } }, labels: edge, selected: true },
    { selector: { matchLabels: { tier: "edge", site: "south" } }, labels: edge, selected: false },
    { selector: { matchLabels: { constructor: "x" } }, labels: edge, selected: false },
    {
      selector: { matchExpressions: [{ key: "site", operator: "In", values: ["south", "north"] }] },
      labels: edge,
      selected: true,
    },
    {
      selector: { matchExpressions: [{ key: "site", operator: "NotIn", values: ["north"] }] },
      labels: edge,
      selected: false,
    },
    {
      selector: { matchExpressions: [{ key: "zone", operator: "NotIn", values: ["a"] }] },
      labels: edge,
      selected: true,
    },
    { selector: { matchExpressions: [{ key: "site", operator: "Exists" }] }, labels: edge, selected: true },
    {
      selector: { matchExpressions: [{ key: "site", operator: "DoesNotExist" }] },
      labels: edge,
      selected: false,
    },
    {
      selector: { matchExpressions: [{ key: "zone", operator: "DoesNotExist" }] },
      labels: {},
      selected: true,
    },
    {
      selector: { matchLabels: { tier: "edge" }, matchExpressions: [{ key: "zone", operator: "Exists" }] },
      labels: edge,
      selected: false,
    },
  ])("When $selector meets $labels, it should return $selected", ({ selector, labels, selected }) => {
    const read = readLabelSelector(selector);
    expect("selector" in read && selects(read.selector, labels)).toBe(selected);
  });

  test.for<{ selector: unknown; field: string }>([
    { selector: "tier=edge", field: "" },
    { selector: null, field: "" },
    { selector: { matchLabels: { tier: 1 } }, field: "matchLabels" },
    { selector: { matchLabels: ["tier"] }, field: "matchLabels" },
    { selector: { matchExpressions: {} }, field: "matchExpressions" },
    { selector: { matchExpressions: [{ operator: "Exists" }] }, field: "matchExpressions[0]" },
    {
      selector: { matchExpressions: [{ key: "a", operator: "Equals", values: ["b"] }] },
      field: "matchExpressions[0].operator",
    },
    { selector: { matchExpressions: [{ key: "a", operator: "In" }] }, field: "matchExpressions[0].values" },
    {
      selector: { matchExpressions: [{ key: "a", operator: "In", values: [1] }] },
      field: "matchExpressions[0].values",
    },
    {
      selector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] },
      field: "matchExpressions[0].values",
    },
    ...["bad key", "-", "/a", "a/", "a/b/c", "A/b", "k".repeat(64)].flatMap((key) => [
      { selector: { matchLabels: { [key]: "x" } }, field: "matchLabels" },
      { selector: { matchExpressions: [{ key, operator: "DoesNotExist" }] }, field: "matchExpressions[0]" },
    ]),
    ...["-b", "b".repeat(64)].map((value) => ({
      selector: { matchLabels: { a: value } },
      field: "matchLabels",
    })),
  ])("When a selector is $selector, it should be refused at '$field'", ({ selector, field }) => {
    expect(readLabelSelector(selector)).toMatchObject({ error: { field } });
  });
});
