import { describe, expect, test } from "vitest";
import { readLabelSelector, selects } from "./label-selector.ts";

const edge = { tier: "edge", site: "north" };

type Labels = Readonly<Record<string, string>>;

describe("which labels a selector selects", () => {
  test.for<readonly [selector: unknown, selected: boolean, labels?: Labels | undefined]>([
    [{}, true],
    [{ matchLabels: { tier: "edge" } }, true, edge],
    [{ matchLabels: { tier: "edge", site: "south" } }, false, edge],
    [{ matchLabels: { constructor: "x" } }, false, edge],
    [{ matchExpressions: [{ key: "site", operator: "In", values: ["south", "north"] }] }, true, edge],
    [{ matchExpressions: [{ key: "site", operator: "NotIn", values: ["north"] }] }, false, edge],
    [{ matchExpressions: [{ key: "zone", operator: "NotIn", values: ["a"] }] }, true, edge],
    [{ matchExpressions: [{ key: "site", operator: "Exists" }] }, true, edge],
    [{ matchExpressions: [{ key: "site", operator: "DoesNotExist" }] }, false, edge],
    [{ matchExpressions: [{ key: "zone", operator: "DoesNotExist" }] }, true, {}],
    [{ matchLabels: { tier: "edge" }, matchExpressions: [{ key: "zone", operator: "Exists" }] }, false, edge],
  ])("When $0 meets $2, it should return $1", ([selector, selected, labels]) => {
    const read = readLabelSelector(selector);
    expect("selector" in read && selects(read.selector, labels)).toBe(selected);
  });

  test.for<readonly [selector: unknown, field: string]>([
    ["tier=edge", ""],
    [null, ""],
    [{ matchLabels: { tier: 1 } }, "matchLabels"],
    [{ matchLabels: ["tier"] }, "matchLabels"],
    [{ matchExpressions: {} }, "matchExpressions"],
    [{ matchExpressions: [{ operator: "Exists" }] }, "matchExpressions[0]"],
    [{ matchExpressions: [{ key: "a", operator: "Equals", values: ["b"] }] }, "matchExpressions[0].operator"],
    [{ matchExpressions: [{ key: "a", operator: "In" }] }, "matchExpressions[0].values"],
    [{ matchExpressions: [{ key: "a", operator: "In", values: [1] }] }, "matchExpressions[0].values"],
    [{ matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] }, "matchExpressions[0].values"],
    ...["bad key", "-", "/a", "a/", "a/b/c", "A/b", "k".repeat(64)].flatMap((key) => [
      [{ matchLabels: { [key]: "x" } }, "matchLabels"] as const,
      [{ matchExpressions: [{ key, operator: "DoesNotExist" }] }, "matchExpressions[0]"] as const,
    ]),
    ...["-b", "b".repeat(64)].map((value) => [{ matchLabels: { a: value } }, "matchLabels"] as const),
  ])("When a selector is $0, it should be refused at '$1'", ([selector, field]) => {
    expect(readLabelSelector(selector)).toMatchObject({ error: { field } });
  });
});
