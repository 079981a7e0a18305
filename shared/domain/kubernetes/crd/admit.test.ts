import { expect, test } from "vitest";
import type { KubernetesObject } from "../object.ts";
import { admit } from "./admit.ts";
import type { Rule } from "./check-rules.ts";
import { mapRules, readSchema } from "./schema.ts";

/** Rules of the tests: an expression is the name of one of these. */
const rules: Readonly<Record<string, Rule>> = {
  "self is small": (self) => String(self).length < 4,
  "self == oldSelf": (self, stored) => JSON.stringify(self) === JSON.stringify(stored?.value),
  "oldSelf is there": (_, stored) => stored !== undefined,
  "who knows": () => ({ unknown: "no such function" }),
  "self.missing": () => ({ refused: "no such key: missing" }),
  "'a' + self": (self) => `too large: ${self}`,
  never: () => false,
};

const unheardOf: Rule = () => ({ unknown: "no rule of this test" });

type Fields = Readonly<Record<string, unknown>>;

function schemaOf(spec: Fields) {
  const root = { type: "object", properties: { spec, metadata: { type: "object" } } };
  return mapRules(readSchema(root), (rule) => rules[rule] ?? unheardOf);
}

const anObject = (spec: unknown, more: Fields = {}): KubernetesObject => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a", annotations: { kept: "yes" } },
  spec,
  ...more,
});

const matches = (pattern: string, text: string) => text.includes(pattern);

function told(spec: Fields, value: unknown, stored?: unknown): readonly string[] {
  const old = stored === undefined ? undefined : anObject(stored);
  const { errors } = admit(anObject(value), old, schemaOf(spec), matches);
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

const notChecked =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
const string = { type: "string" };
const field = (schema: Fields) => ({ type: "object", properties: { x: schema } });

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
])("When $value is checked against $schema, it should tell $errors", ({ schema, value, errors }) => {
  expect(told(schema, value)).toEqual(errors);
});

test.for([
  { name: "null stands where nothing is asked for", value: { x: null }, errors: [] },
  {
    name: "null stands in a list",
    schema: field({ type: "array", items: string }),
    value: { x: [null] },
    errors: [
      'spec.x[0]: Invalid value: "null": spec.x[0] in body must be of type string: "null"',
      notChecked,
    ],
  },
  { name: "null is allowed", schema: field({ ...string, nullable: true }), value: { x: null }, errors: [] },
  {
    name: "null stands where there is a default",
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
  expect(told(schema, value)).toEqual(errors);
});

const limited = (rule: string, more: Fields = {}) =>
  field({ ...string, "x-kubernetes-validations": [{ rule, message: " it is large ", ...more }] });

test.for([
  { name: "a rule holds", schema: limited("self is small"), value: { x: "abc" }, errors: [] },
  {
    name: "a rule does not hold",
    schema: limited("self is small"),
    value: { x: "abcd" },
    errors: ['spec.x: Invalid value: "abcd": it is large'],
  },
  {
    name: "a rule without a message does not hold",
    schema: field({ ...string, "x-kubernetes-validations": [{ rule: "never" }] }),
    value: { x: "a" },
    errors: ['spec.x: Invalid value: "a": failed rule: never'],
  },
  {
    name: "the message is worked out",
    schema: limited("never", { messageExpression: "'a' + self" }),
    value: { x: "a" },
    errors: ['spec.x: Invalid value: "a": too large: a'],
  },
  {
    name: "the message cannot be worked out",
    schema: limited("never", { messageExpression: "who knows" }),
    value: { x: "a" },
    errors: ['spec.x: Invalid value: "a": it is large'],
  },
  {
    name: "the rule has a reason and a field",
    schema: {
      ...field(string),
      "x-kubernetes-validations": [
        { rule: "never", message: "no", reason: "FieldValueForbidden", fieldPath: ".x" },
      ],
    },
    value: { x: "a" },
    errors: ["spec.x: Forbidden: no"],
  },
  {
    name: "the rule is about an object",
    schema: { ...field(string), "x-kubernetes-validations": [{ rule: "never", message: "no" }] },
    value: { x: "a" },
    errors: ["spec: Invalid value: no"],
  },
  {
    name: "the API server could not work it out either",
    schema: limited("self.missing"),
    value: { x: "a" },
    errors: ['spec.x: Invalid value: "string": no such key: missing evaluating rule: it is large'],
  },
  {
    name: "the value is inside a list and a map",
    schema: field({
      type: "object",
      additionalProperties: {
        type: "array",
        items: { ...string, "x-kubernetes-validations": [{ rule: "never", message: "no" }] },
      },
    }),
    value: { x: { k: ["a"] } },
    errors: ['spec.x[k][0]: Invalid value: "a": no'],
  },
  { name: "there is no value", schema: limited("never"), value: {}, errors: [] },
])("When $name, it should tell $errors", ({ schema, value, errors }) => {
  expect(told(schema, value)).toEqual(errors);
});

test.for([
  { name: "the object is new", stored: undefined, value: { x: "a" }, errors: [] },
  { name: "the value stays", stored: { x: "a" }, value: { x: "a" }, errors: [] },
  {
    name: "the value changes",
    stored: { x: "a" },
    value: { x: "b" },
    errors: ['spec.x: Invalid value: "b": it is large'],
  },
  { name: "the value is new", stored: {}, value: { x: "b" }, errors: [] },
  { name: "the value goes", stored: { x: "a" }, value: {}, errors: [] },
])(
  "When a rule compares with what is stored and $name, it should tell $errors",
  ({ stored, value, errors }) => {
    expect(told(limited("self == oldSelf"), value, stored)).toEqual(errors);
  },
);

test("When a rule takes what is stored as optional, it should count for new objects, too", () => {
  const schema = limited("oldSelf is there", { optionalOldSelf: true });
  expect(told(schema, { x: "a" })).toEqual(['spec.x: Invalid value: "a": it is large']);
  expect(told(schema, { x: "b" }, { x: "a" })).toEqual([]);
});

const keyed = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["k"],
  items: {
    type: "object",
    properties: {
      k: string,
      v: { ...string, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "no" }] },
    },
  },
};

test("When a list has keys, an item should be compared with the one of its key", () => {
  const stored = {
    x: [
      { k: "a", v: "1" },
      { k: "b", v: "2" },
    ],
  };
  expect(
    told(
      field(keyed),
      {
        x: [
          { k: "b", v: "2" },
          { k: "c", v: "3" },
          { k: "a", v: "4" },
        ],
      },
      stored,
    ),
  ).toEqual(['spec.x[2].v: Invalid value: "4": no']);
  const plain = { ...keyed, "x-kubernetes-list-type": "atomic" };
  expect(told(field(plain), { x: [{ k: "a", v: "4" }] }, stored)).toEqual([]);
});

test.for([
  { schema: field({ ...string, enum: ["a"] }), stored: { x: "old" } },
  { schema: field({ ...string, maxLength: 1 }), stored: { x: "old" } },
  { schema: limited("self is small"), stored: { x: "old and long" } },
  {
    schema: field({ type: "array", "x-kubernetes-list-type": "set", items: string }),
    stored: { x: ["a", "a"] },
  },
])("When $stored was stored before the schema refused it, it should stay as it is", ({ schema, stored }) => {
  const open = { ...schema, properties: { ...schema.properties, y: string } };
  expect(told(open, stored)).not.toEqual([]);
  expect(told(open, { ...stored, y: "new" }, stored)).toEqual([]);
});

test("When the schema does not have a field, it should be dropped and told", () => {
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

test("When a rule cannot be worked out here, it should be told and refuse nothing", () => {
  const { errors, unknownRules } = admit(
    anObject({ x: "a" }),
    undefined,
    schemaOf(limited("who knows")),
    matches,
  );
  expect(errors).toEqual([]);
  expect(unknownRules).toEqual([{ field: "spec.x", message: "it is large", reason: "no such function" }]);
});

test("When the status is wrong, it should not count: it is written by itself", () => {
  const root = { type: "object", properties: { status: field({ ...string, enum: ["a"] }) } };
  const schema = mapRules(readSchema(root), () => unheardOf);
  const wrong = anObject({}, { status: { x: "wrong" } });
  expect(admit(wrong, undefined, schema, matches).errors).toEqual([]);
  expect(admit(wrong, wrong, schema, matches).errors).toEqual([]);
});
