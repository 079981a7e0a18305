import { expect, test } from "vitest";
import { admit } from "./admit.ts";
import { anObject, type Fields, field, matches, schemaOf, string, validationErrors } from "./fixtures.ts";

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
    name: "the message is evaluated",
    schema: limited("never", { messageExpression: "'a' + self" }),
    value: { x: "a" },
    errors: ['spec.x: Invalid value: "a": too large: a'],
  },
  {
    name: "the message cannot be evaluated",
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
    name: "the API server could not evaluate it either",
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
])("When $name, it should report $errors", ({ schema, value, errors }) => {
  expect(validationErrors(schema, value)).toEqual(errors);
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
  "When a rule compares with the stored value and $name, it should report $errors",
  ({ stored, value, errors }) => {
    expect(validationErrors(limited("self == oldSelf"), value, stored)).toEqual(errors);
  },
);

test("When a rule's oldSelf is optional, it should apply to new objects too", () => {
  const schema = limited("oldSelf is there", { optionalOldSelf: true });
  expect(validationErrors(schema, { x: "a" })).toEqual(['spec.x: Invalid value: "a": it is large']);
  expect(validationErrors(schema, { x: "b" }, { x: "a" })).toEqual([]);
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

test("When a list has keys, an item should be compared with the stored one of its key", () => {
  const stored = {
    x: [
      { k: "a", v: "1" },
      { k: "b", v: "2" },
    ],
  };
  expect(
    validationErrors(
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
  expect(validationErrors(field(plain), { x: [{ k: "a", v: "4" }] }, stored)).toEqual([]);
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
  expect(validationErrors(open, stored)).not.toEqual([]);
  expect(validationErrors(open, { ...stored, y: "new" }, stored)).toEqual([]);
});

test("When a rule cannot be evaluated, it should be reported and refuse nothing", () => {
  const { errors, unknownRules } = admit(
    anObject({ x: "a" }),
    undefined,
    schemaOf(limited("who knows")),
    matches,
  );
  expect(errors).toEqual([]);
  expect(unknownRules).toEqual([{ field: "spec.x", message: "it is large", reason: "no such function" }]);
});
