import { describe, expect, test } from "vitest";
import { maxNesting } from "../../json/nesting.ts";
import { migrateOcCompat } from "./migrate-oc-compat.ts";

const policy = (metadata: string, spec = "spec: {}") =>
  `apiVersion: operator.openshift.io/v1alpha1\nkind: ImageContentSourcePolicy\nmetadata: ${metadata}\n${spec}\n`;
const good = policy("{name: a}");

function madeOf(text: string): readonly unknown[] {
  const migration = migrateOcCompat(text, "f");
  if ("issue" in migration) throw new Error(migration.issue.message);
  // As it is written: without fields that are undefined.
  return JSON.parse(JSON.stringify(migration.objects));
}

function issueOf(text: string) {
  const migration = migrateOcCompat(text, "f");
  if ("objects" in migration) throw new Error("oc would convert it");
  return migration.issue;
}

const mirrorSet = (metadata: unknown, rules: readonly unknown[] = []) => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ImageDigestMirrorSet",
  metadata,
  spec: { imageDigestMirrors: rules },
});

describe("results", () => {
  test("When all metadata is there, it should keep everything but creationTimestamp", () => {
    const text = `
apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata:
  name: acme
  uid: "1234"
  resourceVersion: "55"
  generation: 3
  creationTimestamp: "2020-01-01T00:00:00Z"
  labels: {on: "yes", v10: "1e3", v9: a}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"kind":"ImageContentSourcePolicy"}
  finalizers: [a/b]
  ownerReferences:
  - {apiVersion: v1, kind: ConfigMap, name: x, uid: "y", controller: true}
  unknown: field
spec:
  repositoryDigestMirrors:
  - source: quay.io/a
    mirrors: []
  - source: quay.io/b
    mirrors: [m1:5000/b, m1:5000/b, "*.bad"]
    mirrorSourcePolicy: NeverContactSource
  - mirrors: [null]
  - null
status: {}
`;
    const metadata = {
      name: "acme",
      uid: "1234",
      resourceVersion: "55",
      generation: 3,
      labels: { true: "yes", v10: "1e3", v9: "a" },
      annotations: {
        "kubectl.kubernetes.io/last-applied-configuration": '{"kind":"ImageContentSourcePolicy"}\n',
      },
      finalizers: ["a/b"],
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "y", controller: true }],
    };
    const rules = [
      { source: "quay.io/a" },
      { source: "quay.io/b", mirrors: ["m1:5000/b", "m1:5000/b", "*.bad"] },
      { source: "", mirrors: [""] },
      { source: "" },
    ];
    expect(madeOf(text)).toEqual([mirrorSet(metadata, rules)]);
  });

  test.for([
    { name: "unknown fields", given: { name: "a", Name: "b", other: 1 }, kept: { name: "a" } },
    {
      name: "empty values",
      given: { name: "", generation: 0, labels: {}, finalizers: [], managedFields: [] },
      kept: {},
    },
    {
      name: "null",
      given: { name: null, labels: null, creationTimestamp: null, deletionGracePeriodSeconds: null },
      kept: {},
    },
    {
      name: "a grace period of zero",
      given: { deletionGracePeriodSeconds: 0 },
      kept: { deletionGracePeriodSeconds: 0 },
    },
    {
      name: "null inside a map or list",
      given: { labels: { a: null }, finalizers: [null] },
      kept: { labels: { a: "" }, finalizers: [""] },
    },
    {
      name: "an owner without fields",
      given: { ownerReferences: [{}, null, { controller: false, blockOwnerDeletion: null, uid: "u" }] },
      kept: {
        ownerReferences: [
          { apiVersion: "", kind: "", name: "", uid: "" },
          { apiVersion: "", kind: "", name: "", uid: "" },
          { apiVersion: "", kind: "", name: "", uid: "u", controller: false },
        ],
      },
    },
    {
      name: "managed fields of any content",
      given: {
        managedFields: [
          { fieldsV1: { "f:a": { ".": {} } }, manager: "m", time: "2020-01-01T00:00:00Z" },
          { fieldsV1: null },
          { operation: "Update" },
        ],
      },
      kept: {
        managedFields: [
          { fieldsV1: { "f:a": { ".": {} } }, manager: "m", time: "2020-01-01T00:00:00Z" },
          {},
          { operation: "Update" },
        ],
      },
    },
    {
      name: "a timestamp in another zone, with fractions",
      given: { deletionTimestamp: "2020-03-01T00:30:00.987654321+01:00" },
      kept: { deletionTimestamp: "2020-02-29T23:30:00Z" },
    },
  ])("When metadata has $name, it should keep what oc keeps", ({ given, kept }) => {
    expect(madeOf(policy(JSON.stringify(given)))).toEqual([mirrorSet(kept)]);
  });

  test.for([
    {
      name: "JSON",
      text: '{"apiVersion":"operator.openshift.io/v1alpha1","kind":"ImageContentSourcePolicy","metadata":{"name":"a"}}',
      names: ["a"],
    },
    {
      name: "JSON with nulls",
      text: '{"apiVersion":"operator.openshift.io/v1alpha1","kind":"ImageContentSourcePolicy","metadata":{"name":"a"},"spec":null}',
      names: ["a"],
    },
    {
      name: "two documents",
      text: `---\n${policy("{name: a}")}--- # b\r\n${policy("{name: b}")}---\n`,
      names: ["a", "b"],
    },
    {
      name: "two documents with two separators between them",
      text: `${policy("{name: a}")}---\n---\n${policy("{name: b}")}`,
      names: ["a", "b"],
    },
    {
      name: "one with Windows line ends and no line end in the last line",
      text: good.replaceAll("\n", "\r\n").trimEnd(),
      names: ["a"],
    },
    { name: "one with a byte order mark", text: `\uFEFF${good}`, names: ["a"] },
    { name: "an object without a name", text: policy("{}"), names: [undefined] },
    { name: "one with a key that is given twice", text: policy("{name: b, name: a}"), names: ["a"] },
  ])("When the file is $name, it should convert it", ({ text, names }) => {
    expect(madeOf(text)).toEqual(names.map((name) => mirrorSet(name ? { name } : {})));
  });
});

describe("refusals", () => {
  test.for([
    { name: "is empty", text: "", path: "1:1" },
    { name: "is blank", text: "\n", path: "1:1" },
    { name: "holds a comment only", text: "# only", path: "1:1" },
    { name: "holds separators only", text: "---\n---\n", path: "1:1" },
    { name: "has a comment before the first separator", text: `# a\n---\n${good}`, path: "1:1" },
    { name: "ends with two separators", text: `${good}---\n---\n`, path: "6:1" },
    { name: "is not YAML", text: `${good}---\n${good}  a: [b\n`, path: "10:1" },
    { name: "begins with a brace but is not JSON", text: `${good}---\n\v{a: 1}`, path: "6:1" },
    { name: "has text after a separator", text: `kind: 3\n--- x\n`, path: "2:1" },
    { name: "has four dashes", text: `${good}----\n${good}`, path: "5:1" },
    { name: "is a list of values", text: "[]", path: "1:1" },
    { name: "has no kind", text: "apiVersion: operator.openshift.io/v1alpha1\nkind:\n", path: "kind" },
    { name: "has no apiVersion", text: "kind: ImageContentSourcePolicy", path: "apiVersion" },
    { name: "is a list", text: good.replace("Policy", "PolicyList"), path: "kind" },
    { name: "is of another version", text: good.replace("v1alpha1", "v1"), path: "apiVersion" },
    { name: "has another kind in its second document", text: `${good}---\nkind: OLM`, path: "apiVersion" },
    { name: "has metadata that is not a map", text: policy("1"), path: "metadata" },
    { name: "has a name that is not a string", text: policy("{name: 1}"), path: "metadata.name" },
    { name: "has an unquoted label", text: policy("{labels: {a: no}}"), path: "metadata.labels.a" },
    { name: "has labels in a list", text: policy("{labels: []}"), path: "metadata.labels" },
    { name: "has a text as generation", text: policy('{generation: "3"}'), path: "metadata.generation" },
    { name: "has a fraction as generation", text: policy("{generation: 1.5}"), path: "metadata.generation" },
    {
      name: "has an owner's flag that is a text",
      text: policy("{ownerReferences: [{controller: x}]}"),
      path: "metadata.ownerReferences[0].controller",
    },
    {
      name: "has a day as creation time",
      text: policy('{creationTimestamp: "2020-01-01"}'),
      path: "metadata.creationTimestamp",
    },
    {
      name: "has a number as creation time",
      text: policy("{creationTimestamp: 3}"),
      path: "metadata.creationTimestamp",
    },
    {
      name: "has rules that are not a list",
      text: policy("{}", "spec: {repositoryDigestMirrors: 5}"),
      path: "spec.repositoryDigestMirrors",
    },
    {
      name: "has a rule that is not a map",
      text: policy("{}", "spec: {repositoryDigestMirrors: [x]}"),
      path: "spec.repositoryDigestMirrors[0]",
    },
    {
      name: "has a mirror that is not a string",
      text: policy("{}", "spec: {repositoryDigestMirrors: [{source: a, mirrors: [no]}]}"),
      path: "spec.repositoryDigestMirrors[0].mirrors[0]",
    },
  ])("When the file $name, it should refuse it and name $path", ({ text, path }) => {
    expect(issueOf(text)).toMatchObject({
      code: "RefusedByOc",
      severity: "error",
      object: { kind: "File", name: "f" },
      path,
    });
  });

  test("When a value is of a wrong type, it should report both types, the value and the line of its document", () => {
    expect(issueOf(`${good}---\n${policy("{labels: {a: no}}")}`)).toMatchObject({
      value: false,
      message: "Invalid input: expected string, received boolean, in the document of line 6",
    });
  });

  test("When JSON is nested as deeply as can be read, it should be read, and no deeper", () => {
    const nested = (lists: number) =>
      issueOf(`{"z": 1, "a": ${"[".repeat(lists)}${"]".repeat(lists)}}`).message;
    expect(nested(maxNesting - 1)).toContain("operator.openshift.io/v1alpha1");
    for (const lists of [maxNesting, 100_000]) expect(nested(lists)).toContain("nested more than 100 levels");
  });
});
