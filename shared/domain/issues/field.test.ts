import { expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import {
  choice,
  type Field,
  flag,
  knownFields,
  lenient,
  list,
  map,
  object,
  parsed,
  readField,
  required,
  rules,
  text,
  whole,
} from "./field.ts";

const order: KubernetesObject = { apiVersion: "example.com/v1", kind: "Order", metadata: { name: "one" } };
const item = object(
  { name: required(text()), count: whole({ minimum: 1 }) },
  rules(["has(self.name)", "needs a name"]),
);
const spec = object({
  size: choice(["small", "large"], { description: "how large" }),
  isFast: flag(),
  items: list(item, { maxItems: 2 }),
  prices: map(whole()),
  note: lenient(text()),
});

const readingOf = <Value>(value: unknown, field: Field<Value>) => {
  const { value: read, issues } = readField(order, "spec", value, field);
  return { read, issues: issues.map(({ code, path, value: found }) => [code, path, found]) };
};

test("When an object is valid, it should be read as it is, maps of outside names as Maps", () => {
  expect(
    readingOf(
      { size: "small", isFast: false, items: [{ name: "a", count: 2 }], prices: { constructor: 3 } },
      spec,
    ),
  ).toEqual({
    read: {
      size: "small",
      isFast: false,
      items: [{ name: "a", count: 2 }],
      prices: new Map([["constructor", 3]]),
    },
    issues: [],
  });
});

test.for<{ value: unknown; read: unknown; issues: unknown }>([
  { value: undefined, read: undefined, issues: [] },
  { value: [], read: undefined, issues: [["InvalidType", "spec", []]] },
  { value: { size: "huge" }, read: {}, issues: [["InvalidType", "spec.size", "huge"]] },
  { value: { isFast: null }, read: {}, issues: [["InvalidType", "spec.isFast", null]] },
  { value: { items: "a" }, read: {}, issues: [["InvalidType", "spec.items", "a"]] },
  {
    value: { items: [1, { name: "a", count: 1.5 }] },
    read: { items: [{ name: "a" }] },
    issues: [
      ["InvalidType", "spec.items[0]", 1],
      ["InvalidType", "spec.items[1].count", 1.5],
    ],
  },
  {
    value: { prices: { a: 1, "b c": "2", ["__proto__"]: 3 } },
    read: {
      prices: new Map([
        ["a", 1],
        ["__proto__", 3],
      ]),
    },
    issues: [["InvalidType", 'spec.prices["b c"]', "2"]],
  },
  { value: { note: 5 }, read: {}, issues: [] },
])(
  "When the value is $value, what is wrong should be reported and count as absent",
  ({ value, read, issues }) => {
    expect(readingOf(value, spec)).toEqual({ read, issues });
  },
);

test("When a required field is missing, its problem should be reported", () => {
  const code = "MissingField";
  const name = required(text(), { code, message: "It has no name", remedy: "Give one." });
  expect(readingOf({}, object({ name })).issues).toEqual([[code, "spec.name", undefined]]);
});

test("When a field is read further, only its value should be, with what was written", () => {
  const upper = parsed(
    text(),
    (value, path, _refuse, given) => `${path}: ${value.toUpperCase()} of ${given}`,
  );
  expect(readingOf("a", upper)).toEqual({ read: "spec: A of a", issues: [] });
  expect(readingOf(1, upper)).toEqual({ read: undefined, issues: [["InvalidType", "spec", 1]] });
});

test("When a definition is made of fields, it should have their types, rules and required names", () => {
  expect(spec.definition).toEqual({
    type: "object",
    properties: {
      size: { type: "string", enum: ["small", "large"], description: "how large" },
      isFast: { type: "boolean" },
      items: {
        type: "array",
        maxItems: 2,
        items: {
          type: "object",
          required: ["name"],
          properties: { name: { type: "string" }, count: { type: "integer", minimum: 1 } },
          "x-kubernetes-validations": [{ rule: "has(self.name)", message: "needs a name" }],
        },
      },
      prices: { type: "object", additionalProperties: { type: "integer" } },
      note: { type: "string" },
    },
  });
  expect(knownFields(spec.definition, "spec")).toEqual({
    spec: ["size", "isFast", "items", "prices", "note"],
    "spec.items[]": ["name", "count"],
  });
});
