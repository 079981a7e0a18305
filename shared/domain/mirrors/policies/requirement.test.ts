import { expect, test } from "vitest";
import { acceptAnything, findPolicy, reject } from "./policy-json.ts";

const names = ["q.io/a/b:1", "q.io/a/b", "q.io/a", "q.io", "*.io", "*.q.io", "x.q.io:5000"];
const policy = {
  default: reject,
  scopes: new Map(names.map((name) => [name, [acceptAnything]])),
};

test.for<[repository: string, tag: string, scope: string | undefined]>([
  ["q.io/a/b", "1", "q.io/a/b:1"],
  ["q.io/a/b", "2", "q.io/a/b"],
  ["q.io/a/c", "1", "q.io/a"],
  ["q.io/b", "1", "q.io"],
  ["q.io:5000/a", "1", "*.io"],
  ["x.q.io:5000/a", "1", "x.q.io:5000"],
  ["x.q.io/a", "1", "*.q.io"],
  ["z.io/a", "1", "*.io"],
  ["z.lab/a", "1", undefined],
])("When %s is looked up with tag %s, it should find %s", ([repository, tag, scope]) => {
  const found = findPolicy(policy, { repository, tag });
  expect(found.scope).toBe(scope);
  expect(found.requirements).toEqual([scope === undefined ? reject : acceptAnything]);
});
