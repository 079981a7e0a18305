import { expect, test } from "vitest";
import { findPolicy } from "./find-policy.ts";
import { acceptAnything, reject } from "./requirement.ts";

const names = ["q.io/a/b:1", "q.io/a/b", "q.io/a", "q.io", "*.io", "*.q.io", "x.q.io:5000"];
const policy = {
  default: reject,
  scopes: new Map(names.map((name) => [name, [acceptAnything]])),
};

test.for<[repository: string, exact: string | undefined, scope: string | undefined]>([
  ["q.io/a/b", "q.io/a/b:1", "q.io/a/b:1"],
  ["q.io/a/b", "q.io/a/b:2", "q.io/a/b"],
  ["q.io/a/c", undefined, "q.io/a"],
  ["q.io/b", undefined, "q.io"],
  ["q.io:5000/a", undefined, "*.io"],
  ["x.q.io:5000/a", undefined, "x.q.io:5000"],
  ["x.q.io/a", undefined, "*.q.io"],
  ["z.io/a", undefined, "*.io"],
  ["z.lab/a", undefined, undefined],
])("When %s is looked up as %s, it should find %s", ([repository, exact, scope]) => {
  const found = findPolicy(policy, repository, exact);
  expect(found.scope).toBe(scope);
  expect(found.requirements).toEqual([scope === undefined ? reject : acceptAnything]);
});
