import { expect, test } from "vitest";
import { type Kind, kinds } from "../kubernetes/object.ts";
import { nameIssues } from "./object-name.ts";

const fieldsOf = (kind: Pick<Kind, "apiVersion" | "kind">, name: string, namespace?: string) =>
  nameIssues({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  }).map(({ path }) => path);

const { ImagePolicy, Event, ImageStream, APIService } = kinds;
const clusterRole = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" };

test.for([
  { kind: ImagePolicy, name: "a" },
  { kind: ImagePolicy, name: "a1.b-c.2" },
  { kind: ImagePolicy, name: "a".repeat(253) },
  { kind: Event, name: "Acme.17f" },
  { kind: ImageStream, name: "a_b" },
  { kind: APIService, name: "v1." },
  { kind: clusterRole, name: "system:node-reader" },
])("When an object of kind $kind.kind is called $name, it should accept the name", ({ kind, name }) => {
  expect(fieldsOf(kind, name, "team-1")).toEqual([]);
});

test.for([
  { kind: ImagePolicy, name: "" },
  { kind: ImagePolicy, name: ".." },
  { kind: ImagePolicy, name: "../../etc/passwd" },
  { kind: ImagePolicy, name: "-a" },
  { kind: ImagePolicy, name: "a-" },
  { kind: ImagePolicy, name: "a..b" },
  { kind: ImagePolicy, name: "A" },
  { kind: ImagePolicy, name: "a_b" },
  { kind: ImagePolicy, name: "a\n" },
  { kind: ImagePolicy, name: "a\u001b[2J" },
  { kind: ImagePolicy, name: "a".repeat(254) },
  { kind: Event, name: "a/b" },
  { kind: ImageStream, name: ".." },
  { kind: clusterRole, name: "%2e%2e" },
  { kind: clusterRole, name: "." },
])("When an object of kind $kind.kind is called $name, it should refuse the name", ({ kind, name }) => {
  expect(fieldsOf(kind, name)).toEqual(["metadata.name"]);
});

test.for(["../../..", "..", "a.b", "a/b", "Team", "a".repeat(64), "a\u0000"])(
  "When the namespace is %j, it should refuse the namespace of every kind",
  (namespace) => {
    expect(fieldsOf(ImagePolicy, "a", namespace)).toEqual(["metadata.namespace"]);
    expect(fieldsOf(clusterRole, "a", namespace)).toEqual(["metadata.namespace"]);
  },
);

test("When name and namespace are wrong, it should give object, value and fix for each", () => {
  const [name, namespace] = nameIssues({
    apiVersion: ImagePolicy.apiVersion,
    kind: "ImagePolicy",
    metadata: { name: "A", namespace: ".." },
  });
  expect(name).toEqual({
    code: "InvalidName",
    severity: "error",
    object: { kind: "ImagePolicy", namespace: "..", name: "A" },
    path: "metadata.name",
    value: "A",
    message: "The API server refuses it: it is not a DNS subdomain (RFC 1123).",
    remedy: expect.stringMatching(/^Use at most 253 lower-case letters/),
  });
  expect(namespace).toMatchObject({
    path: "metadata.namespace",
    value: "..",
    remedy: expect.stringMatching(/^Use at most 63/),
  });
});
