import { expect, test } from "vitest";
import { manifestProblems, tryParseManifestObject, tryReadDamagedObject } from "./manifest-object.ts";

const manifest = (metadata: unknown) => ({ apiVersion: "v1", kind: "ConfigMap", metadata });
const named = (fields: object) => manifest({ name: "a", ...fields });

const refused: readonly [string, unknown, string][] = [
  ["is empty", null, " It is empty where a Kubernetes object was expected."],
  ["is a list", [], " It is a list where a Kubernetes object was expected."],
  ["has no metadata", { apiVersion: "v1", kind: "A" }, "metadata.name It is missing."],
  ["has a text as metadata", manifest("a"), "metadata It is a string and must be a map."],
  ["has a number as name", manifest({ name: 1 }), "metadata.name It is a number and must be a string."],
  ["has an empty name", manifest({ name: "" }), "metadata.name It is missing."],
  ["has a list", named({ labels: ["x"] }), "metadata.labels It is a list and must be a map of strings."],
  ["has a null label", named({ labels: { x: null } }), "metadata.labels.x It is empty and must be a string."],
  [
    "has a flag",
    named({ annotations: { x: true } }),
    "metadata.annotations.x It is a boolean and must be a string.",
  ],
  ["has a text", named({ finalizers: "x" }), "metadata.finalizers It is a string and must be a list."],
  [
    "has a half",
    named({ generation: 1.5 }),
    "metadata.generation It is a number and must be a whole number.",
  ],
  [
    "has an owner without a uid",
    named({ ownerReferences: [{ apiVersion: "v1", kind: "A", name: "b" }] }),
    "metadata.ownerReferences.0.uid It is empty and must be a string.",
  ],
];

test.for(refused)("When a document %s, it should name the field and its problem", ([, value, reported]) => {
  expect(manifestProblems(value).map(({ path, message }) => `${path.join(".")} ${message}`)).toEqual([
    reported,
  ]);
  expect(tryParseManifestObject(value)).toBeUndefined();
});

test("When the manifest has all it needs, it should keep every field but empty metadata", () => {
  const metadata = { name: "a", labels: null, creationTimestamp: null, managedFields: [{ manager: "oc" }] };
  expect(tryParseManifestObject({ ...manifest(metadata), data: { x: null } })).toEqual({
    ...manifest({ name: "a", managedFields: [{ manager: "oc" }] }),
    data: { x: null },
  });
});

const damaged: readonly [string, unknown, unknown][] = [
  [
    "annotations are not all texts",
    { name: "a", namespace: "n", annotations: { x: true, y: "z" }, labels: ["x"], generation: "1" },
    { name: "a", namespace: "n", annotations: { y: "z" } },
  ],
  ["it has no name", { namespace: "n", labels: null }, { name: "", namespace: "n" }],
  ["its metadata is a text", "a", { name: "" }],
];

test.for(damaged)("When %s, it should keep what can be read", ([, metadata, readable]) => {
  expect(tryReadDamagedObject({ ...manifest(metadata), spec: 1 })).toEqual({
    ...manifest(readable),
    spec: 1,
  });
});

test.for([[null], [[]], [{ kind: "A" }], [{ apiVersion: "v1", kind: 3 }]])(
  "When the kind of %j is unknown, it should return undefined",
  ([value]) => {
    expect(tryReadDamagedObject(value)).toBeUndefined();
  },
);
