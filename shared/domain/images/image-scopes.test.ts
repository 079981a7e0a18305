import { expect, test } from "vitest";
import { atMirror, enclosingScopes, hostOf } from "./scope.ts";

test.for([
  {
    repository: "a.quay.io/ns/app",
    scopes: ["a.quay.io/ns/app", "a.quay.io/ns", "a.quay.io", "*.quay.io", "*.io"],
  },
  { repository: "quay.io:5000/ns/app", scopes: ["quay.io:5000/ns/app", "quay.io:5000/ns", "quay.io:5000"] },
  { repository: "quay.io", scopes: ["quay.io", "*.io"] },
  { repository: "localhost/app", scopes: ["localhost/app", "localhost"] },
])("When a repository is $repository, the sources that mean it should be $scopes", (one) => {
  expect(enclosingScopes(one.repository)).toEqual(one.scopes);
});

test.for([
  ["quay.io/ns/app", "quay.io"],
  ["quay.io:5000/app", "quay.io:5000"],
  ["quay.io", "quay.io"],
] as const)("When a repository is %s, its registry should be %s", ([repository, host]) => {
  expect(hostOf(repository)).toBe(host);
});

test.for([
  ["quay.io/ns/app:1", "quay.io/ns", "m.lan/x", "m.lan/x/app:1"],
  ["quay.io:5000/ns/app:1", "quay.io:5000", "m.lan", "m.lan/ns/app:1"],
  ["a.quay.io/ns/app:1", "*.quay.io", "m.lan/x", "m.lan/x/ns/app:1"],
  ["quay.io/app@sha256:1", "quay.io/app", "m.lan/y", "m.lan/y@sha256:1"],
] as const)(
  "When %s is looked for in the mirror of %s, %s, it should be %s",
  ([image, scope, mirror, there]) => {
    expect(atMirror(image, scope, mirror)).toBe(there);
  },
);
