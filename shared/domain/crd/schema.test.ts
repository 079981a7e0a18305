import { expect, test } from "vitest";
import { readCrd, readSchema } from "./schema.ts";

const aVersion = (name: string, served = true) => ({
  name,
  served,
  schema: { openAPIV3Schema: { type: "object", description: name } },
});
const aCrd = (spec: unknown) => ({ kind: "CustomResourceDefinition", spec });

test("When a CRD has several versions, it should be read for each served one", () => {
  const spec = { group: "a.io", names: { kind: "A" }, versions: [aVersion("v1"), aVersion("v0", false)] };
  expect(readCrd(aCrd(spec))).toEqual([{ apiVersion: "a.io/v1", kind: "A", schema: { type: "object" } }]);
});

test.for([
  null,
  { kind: "ConfigMap" },
  aCrd(null),
  aCrd({ group: 1, names: { kind: "A" }, versions: [] }),
  aCrd({ group: "a.io", names: {}, versions: [aVersion("v1")] }),
  aCrd({ group: "a.io", names: { kind: "A" }, versions: "v1" }),
  aCrd({ group: "a.io", names: { kind: "A" }, versions: [{ name: "v1", served: true }] }),
])("When a manifest is %j, it should hold no version", (manifest) => {
  expect(readCrd(manifest)).toEqual([]);
});

test.for([
  ["self == oldSelf", true],
  ["has(oldSelf.x) || self.x", true],
  ["self != 'oldSelf'", false],
  ['self != "the \\"oldSelf\\" one"', false],
  ["self.oldSelfie", false],
] as const)(
  "When a rule is %s, it should be known whether it is about a change: %s",
  ([rule, usesOldSelf]) => {
    const { rules } = readSchema({ "x-kubernetes-validations": [{ rule, message: "m" }] });
    expect(rules).toEqual([{ rule, usesOldSelf, message: "m" }]);
  },
);

test("When a schema has fields of a wrong type, they should be ignored", () => {
  const fields = { type: 5, maxLength: "long", required: [1], items: "any", properties: { x: "any", y: {} } };
  expect(readSchema(fields)).toEqual({ properties: new Map([["y", {}]]) });
});
