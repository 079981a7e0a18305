import { expect, test } from "vitest";
import { tryResolveName } from "./image-name.ts";
import { formatImageReference } from "./image-reference.ts";

const search = { unqualifiedSearchRegistries: ["registry.access.redhat.com", "docker.io"] };
const digest = `sha256:${"d".repeat(64)}`;
const names = (image: string, conf: Parameters<typeof tryResolveName>[1] = search) => {
  const resolved = tryResolveName(image, conf);
  return resolved && [resolved.by, ...resolved.references.map(formatImageReference)];
};

test.for([
  ["quay.io/ns/app:v1", ["itself", "quay.io/ns/app:v1"]],
  ["quay.io/ns/app", ["itself", "quay.io/ns/app:latest"]],
  [`quay.io/ns/app@${digest}`, ["itself", `quay.io/ns/app@${digest}`]],
  [`quay.io/ns/app:v1@${digest}`, ["itself", `quay.io/ns/app@${digest}`]],
  ["m.lan:5000/app", ["itself", "m.lan:5000/app:latest"]],
  ["localhost/app:v1", ["itself", "localhost/app:v1"]],
  ["localhost:5000/app", ["itself", "localhost:5000/app:latest"]],
  ["docker.io/alpine", ["itself", "docker.io/library/alpine:latest"]],
  ["docker.io/ns/app:v1", ["itself", "docker.io/ns/app:v1"]],
  ["index.docker.io.lan/app:v1", ["itself", "index.docker.io.lan/app:v1"]],
  ["my.index.docker.io/app:v1", ["itself", "my.index.docker.io/app:v1"]],
  ["index.docker.io/alpine:3", ["itself", "docker.io/library/alpine:3"]],
  ["alpine", ["search", "registry.access.redhat.com/alpine:latest", "docker.io/library/alpine:latest"]],
  ["alpine:3.20", ["search", "registry.access.redhat.com/alpine:3.20", "docker.io/library/alpine:3.20"]],
  ["ns/app:v1", ["search", "registry.access.redhat.com/ns/app:v1", "docker.io/ns/app:v1"]],
  [
    `alpine@${digest}`,
    ["search", `registry.access.redhat.com/alpine@${digest}`, `docker.io/library/alpine@${digest}`],
  ],
  ["quay.io", ["search", "registry.access.redhat.com/quay.io:latest", "docker.io/library/quay.io:latest"]],
] as const)("When the image is $0, it should resolve to $1", ([image, found]) => {
  expect(names(image)).toEqual(found);
});

test.for([
  "",
  ":v1",
  "Alpine",
  "quay.io/Ns/app",
  "quay.io/ns/app:",
  `quay.io/ns/app:!@${digest}`,
  "quay.io/ns/app@sha256:short",
  "docker://quay.io/ns/app",
  "quay.io/ns/app:v1:v2",
  "HOST/app",
  "quay.io/",
  "a b",
])("When the image is %j, it should not be a name", (image) => {
  expect(names(image)).toBeUndefined();
});

test("When there are no search registries, a short name should not be resolved", () => {
  expect(names("alpine", {})).toBeUndefined();
  expect(names("alpine", { unqualifiedSearchRegistries: [] })).toBeUndefined();
});

test("When one of the search registries is invalid, a short name should not be resolved", () => {
  expect(names("app", { unqualifiedSearchRegistries: ["q.io", "NONE"] })).toBeUndefined();
});

test("When a short name has an alias, it should resolve to the alias only, with the requested tag", () => {
  const conf = { ...search, aliases: { alpine: "docker.io/library/alpine", "ns/app": "quay.io/ns/app" } };
  expect(names("alpine:3", conf)).toEqual(["alias", "docker.io/library/alpine:3"]);
  expect(names(`ns/app@${digest}`, conf)).toEqual(["alias", `quay.io/ns/app@${digest}`]);
  expect(names("app", { ...search, aliases: { app: "" } })?.[0]).toBe("search");
  expect(names("other:3", { ...conf, unqualifiedSearchRegistries: ["q.io"] })).toEqual([
    "search",
    "q.io/other:3",
  ]);
  expect(names("toString", { ...conf, unqualifiedSearchRegistries: [] })).toBeUndefined();
});
