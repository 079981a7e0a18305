import { expect, test } from "vitest";
import type { ObjectMeta } from "../kubernetes/object.ts";
import { admit, findStored } from "./admit.ts";
import {
  anObject,
  field,
  matches,
  notChecked,
  schemaOf,
  string,
  undefinedRule,
  validationErrors,
} from "./fixtures.ts";
import { mapRules, readSchema } from "./schema.ts";

test.for([
  { schema: field(string), value: { x: "a" }, errors: [] },
  {
    schema: field(string),
    value: { x: 5 },
    errors: [
      'spec.x: Invalid value: "integer": spec.x in body must be of type string: "integer"',
      notChecked,
    ],
  },
  {
    schema: field({ type: "integer" }),
    value: { x: 1.5 },
    errors: ['spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"', notChecked],
  },
  { schema: field({ type: "number" }), value: { x: 1 }, errors: [] },
  { schema: field({ "x-kubernetes-int-or-string": true }), value: { x: "50%" }, errors: [] },
  {
    schema: field({ "x-kubernetes-int-or-string": true }),
    value: { x: [] },
    errors: [
      'spec.x: Invalid value: "array": spec.x in body must be of type integer,string: "array"',
      notChecked,
    ],
  },
  {
    schema: field({ ...string, enum: ["a", "b"] }),
    value: { x: 'c"' },
    errors: ['spec.x: Unsupported value: "c\\"": supported values: "a", "b"', notChecked],
  },
  {
    schema: field({ ...string, maxLength: 2 }),
    value: { x: "äöü" },
    errors: ["spec.x: Too long: may not be more than 2 bytes", notChecked],
  },
  { schema: field({ ...string, maxLength: 2 }), value: { x: "😀😀" }, errors: [] },
  {
    schema: field({ ...string, minLength: 2, pattern: "abc" }),
    value: { x: "a" },
    errors: ['spec.x: Invalid value: "a": spec.x in body should be at least 2 chars long'],
  },
  {
    schema: field({ ...string, pattern: "abc" }),
    value: { x: "ab" },
    errors: ["spec.x: Invalid value: \"ab\": spec.x in body should match 'abc'"],
  },
  {
    schema: field({ type: "integer", minimum: 1, maximum: 3 }),
    value: { x: 4 },
    errors: ["spec.x: Invalid value: 4: spec.x in body should be less than or equal to 3"],
  },
  {
    schema: field({ type: "integer", minimum: 1, exclusiveMinimum: true }),
    value: { x: 1 },
    errors: ["spec.x: Invalid value: 1: spec.x in body should be greater than 1"],
  },
  {
    schema: field({ type: "integer", maximum: 1, exclusiveMaximum: true }),
    value: { x: 1 },
    errors: ["spec.x: Invalid value: 1: spec.x in body should be less than 1"],
  },
  { schema: field({ type: "integer", minimum: 1, maximum: 3 }), value: { x: 1 }, errors: [] },
  {
    schema: field({ type: "array", maxItems: 1, items: string }),
    value: { x: ["a", 1] },
    errors: [
      'spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"',
      "spec.x: Too many: 2: must have at most 1 item",
      notChecked,
    ],
  },
  {
    schema: field({ type: "array", minItems: 1 }),
    value: { x: [] },
    errors: ["spec.x: Invalid value: 0: spec.x in body should have at least 1 items"],
  },
  {
    schema: { type: "object", required: ["x", "y"], properties: { x: string, y: string } },
    value: { x: "" },
    errors: ["spec.y: Required value", notChecked],
  },
  {
    schema: field({ type: "object", additionalProperties: string, maxProperties: 1 }),
    value: { x: { a: "1", b: 2 } },
    errors: [
      "spec.x: Too many: 2: must have at most 1 item",
      'spec.x.b: Invalid value: "integer": spec.x.b in body must be of type string: "integer"',
      notChecked,
    ],
  },
  {
    schema: field({ type: "object", minProperties: 1, properties: {} }),
    value: { x: {} },
    errors: ["spec.x: Invalid value: 0: spec.x in body should have at least 1 properties"],
  },
  {
    schema: field({ type: "array", "x-kubernetes-list-type": "set", items: string }),
    value: { x: ["a", "b", "a", "a"] },
    errors: ['spec.x[2]: Duplicate value: "a"'],
  },
  {
    schema: field({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", properties: { k: string, v: string } },
    }),
    value: { x: [{ k: "a", v: "1" }, { k: "b" }, { k: "a", v: "2" }, {}, {}] },
    errors: ['spec.x[2]: Duplicate value: {"k":"a"}', "spec.x[4]: Duplicate value: {}"],
  },
  {
    schema: field({ ...string, anyOf: [{ maxLength: 1 }, { minLength: 3 }] }),
    value: { x: "ab" },
    errors: ['spec.x: Invalid value: "": "spec.x" must validate at least one schema (anyOf)'],
  },
  {
    schema: field({ ...string, anyOf: [{ maxLength: 1 }, { minLength: 3 }] }),
    value: { x: "a" },
    errors: [],
  },
  {
    schema: field({ ...string, oneOf: [{ maxLength: 3 }, { minLength: 2 }], not: { enum: ["ab"] } }),
    value: { x: "ab" },
    errors: [
      'spec.x: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      'spec.x: Invalid value: "": "spec.x" must not validate the schema (not)',
    ],
  },
  {
    schema: field({ ...string, oneOf: [{ maxLength: 1 }], allOf: [{ minLength: 3 }] }),
    value: { x: "ab" },
    errors: [
      'spec.x: Invalid value: "ab": spec.x in body should be at least 3 chars long',
      'spec.x: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
    ],
  },
])("When $value is checked against $schema, it should report $errors", ({ schema, value, errors }) => {
  expect(validationErrors(schema, value)).toEqual(errors);
});

test.for([
  { name: "null is the value of an optional field", value: { x: null }, errors: [] },
  {
    name: "null is in a list",
    schema: field({ type: "array", items: string }),
    value: { x: [null] },
    errors: [
      'spec.x[0]: Invalid value: "null": spec.x[0] in body must be of type string: "null"',
      notChecked,
    ],
  },
  { name: "null is allowed", schema: field({ ...string, nullable: true }), value: { x: null }, errors: [] },
  {
    name: "null is the value of a field with a default",
    schema: { ...field({ ...string, default: "d" }), required: ["x"] },
    value: { x: null },
    errors: [],
  },
  {
    name: "a default is inside a default",
    schema: {
      ...field({ default: {}, ...field({ ...string, default: "toolong" }), required: ["x"] }),
    },
    value: {},
    errors: [],
  },
  {
    name: "items have a default",
    schema: field({ type: "array", items: { ...string, default: "d" } }),
    value: { x: [null] },
    errors: [],
  },
])("When $name, it should be as if it were not there", ({ schema = field(string), value, errors }) => {
  expect(validationErrors(schema, value)).toEqual(errors);
});

test("When the schema does not have a field, it should be dropped and reported", () => {
  const schema = {
    type: "object",
    properties: {
      x: { type: "array", items: field(string) },
      open: { "x-kubernetes-preserve-unknown-fields": true, ...field(field(string)) },
      embedded: { type: "object", "x-kubernetes-embedded-resource": true },
    },
  };
  const value = {
    x: [{ x: "a", y: 1 }],
    typo: {},
    open: { any: { thing: 1 }, x: { z: 1 } },
    embedded: { kind: "Secret", metadata: { name: "a" }, data: {} },
  };
  const { dropped, errors } = admit(anObject(value, { extra: 1 }), undefined, schemaOf(schema), matches);
  expect(errors).toEqual([]);
  expect([...dropped].sort()).toEqual([
    "extra",
    "spec.embedded.data",
    "spec.open.x.z",
    "spec.typo",
    "spec.x[0].y",
  ]);
});

test("When the status is wrong, it should be ignored: it is a subresource", () => {
  const root = { type: "object", properties: { status: field({ ...string, enum: ["a"] }) } };
  const schema = mapRules(readSchema(root), () => undefinedRule);
  const wrong = anObject({}, { status: { x: "wrong" } });
  expect(admit(wrong, undefined, schema, matches).errors).toEqual([]);
  expect(admit(wrong, wrong, schema, matches).errors).toEqual([]);
});

const shop = {
  apiVersion: "hypershift.openshift.io/v1beta1",
  kind: "HostedCluster",
  metadata: { name: "shop", namespace: "default" },
};
const named = (metadata: ObjectMeta) => ({ ...shop, metadata });

test.for([
  { name: "the same one", object: shop, found: true },
  { name: "one without a namespace", object: named({ name: "shop" }), found: true },
  {
    name: "another version of its API",
    object: { ...shop, apiVersion: "hypershift.openshift.io/v1" },
    found: true,
  },
  { name: "another API", object: { ...shop, apiVersion: "example.com/v1beta1" }, found: false },
  { name: "another kind", object: { ...shop, kind: "NodePool" }, found: false },
  { name: "another name", object: named({ name: "shop2", namespace: "default" }), found: false },
  { name: "another namespace", object: named({ name: "shop", namespace: "clusters" }), found: false },
])("When $name is applied, it should replace the stored one: $found", ({ object, found }) => {
  expect(findStored(object, [shop])).toBe(found ? shop : undefined);
});
