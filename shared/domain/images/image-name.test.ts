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
  { image: "quay.io/ns/app:v1", found: ["itself", "quay.io/ns/app:v1"] },
  { image: "quay.io/ns/app", found: ["itself", "quay.io/ns/app:latest"] },
  { image: `quay.io/ns/app@${digest}`, found: ["itself", `quay.io/ns/app@${digest}`] },
  { image: `quay.io/ns/app:v1@${digest}`, found: ["itself", `quay.io/ns/app@${digest}`] },
  { image: "m.lan:5000/app", found: ["itself", "m.lan:5000/app:latest"] },
  { image: "localhost/app:v1", found: ["itself", "localhost/app:v1"] },
  { image: "localhost:5000/app", found: ["itself", "localhost:5000/app:latest"] },
  { image: "docker.io/alpine", found: ["itself", "docker.io/library/alpine:latest"] },
  { image: "docker.io/ns/app:v1", found: ["itself", "docker.io/ns/app:v1"] },
  { image: "index.docker.io.lan/app:v1", found: ["itself", "index.docker.io.lan/app:v1"] },
  { image: "my.index.docker.io/app:v1", found: ["itself", "my.index.docker.io/app:v1"] },
  { image: "index.docker.io/alpine:3", found: ["itself", "docker.io/library/alpine:3"] },
  {
    image: "alpine",
    found: ["search", "registry.access.redhat.com/alpine:latest", "docker.io/library/alpine:latest"],
  },
  {
    image: "alpine:3.20",
    found: ["search", "registry.access.redhat.com/alpine:3.20", "docker.io/library/alpine:3.20"],
  },
  { image: "ns/app:v1", found: ["search", "registry.access.redhat.com/ns/app:v1", "docker.io/ns/app:v1"] },
  {
    image: `alpine@${digest}`,
    found: ["search", `registry.access.redhat.com/alpine@${digest}`, `docker.io/library/alpine@${digest}`],
  },
  {
    image: "quay.io",
    found: ["search", "registry.access.redhat.com/quay.io:latest", "docker.io/library/quay.io:latest"],
  },
])("When the image is $image, it should resolve to $found", ({ image, found }) => {
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
