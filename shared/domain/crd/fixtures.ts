import type { KubernetesObject } from "../kubernetes/object.ts";
import { admit } from "./admit.ts";
import type { Rule } from "./check-rules.ts";
import { mapRules, readSchema } from "./schema.ts";

/** Rules for tests: an expression is the name of one of them. */
const rules: Readonly<Record<string, Rule>> = {
  "self is small": (self) => String(self).length < 4,
  "self == oldSelf": (self, stored) => JSON.stringify(self) === JSON.stringify(stored?.value),
  "oldSelf is there": (_, stored) => stored !== undefined,
  "who knows": () => ({ unknown: "no such function" }),
  "self.missing": () => ({ refused: "no such key: missing" }),
  "'a' + self": (self) => `too large: ${self}`,
  never: () => false,
};

/** The result of a rule that the test does not define. */
export const undefinedRule: Rule = () => ({ unknown: "no rule of this test" });

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the schema of an object with this schema for its spec. */
export function schemaOf(spec: Fields) {
  const root = { type: "object", properties: { spec, metadata: { type: "object" } } };
  return mapRules(readSchema(root), (rule) => rules[rule] ?? undefinedRule);
}

export const anObject = (spec: unknown, more: Fields = {}): KubernetesObject => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a", annotations: { kept: "yes" } },
  spec,
  ...more,
});

/** Replaces patterns: the text must contain this one. */
export const matches = (pattern: string, text: string) => text.includes(pattern);

/** Returns the errors of a spec, as an API server reports them. */
export function validationErrors(spec: Fields, value: unknown, stored?: unknown): readonly string[] {
  const old = stored === undefined ? undefined : anObject(stored);
  const { errors } = admit(anObject(value), old, schemaOf(spec), matches);
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

export const notChecked =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

export const string = { type: "string" };
export const field = (schema: Fields) => ({ type: "object", properties: { x: schema } });
