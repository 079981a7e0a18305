import { fieldsOf, isRecord, ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { fieldIssue, type Issue, type Problem, wrongType } from "./issue.ts";
import type { KnownFields } from "./unknown-fields.ts";

/** A part of the OpenAPI schema in a CustomResourceDefinition. */
export type Definition = Readonly<Record<string, unknown>>;

/** Reports an invalid value, which then counts as absent. A `problem` that is a string says which values are valid. */
export type Refuse = (path: string, value: unknown, problem: Problem | string) => undefined;

/** A field of a kind: its definition and its reader. */
export type Field<Value = unknown> = Readonly<{
  definition: Definition;
  isRequired?: boolean;
  /** Returns the field's value; undefined if the value is absent or refused. */
  read(value: unknown, path: string, refuse: Refuse): Value;
}>;

/** A required field. */
export type RequiredField<Value = unknown> = Field<Value> & Readonly<{ isRequired: true }>;

type Fields = Readonly<Record<string, Field>>;
export type ValueOf<One> = One extends Field<infer Value> ? Value : never;
type Present<One> = Exclude<ValueOf<One>, undefined>;
type RequiredNames<All> = { [Name in keyof All]: All[Name] extends RequiredField ? Name : never }[keyof All];
type PartialOf<All> = { readonly [Name in keyof All]?: Present<All[Name]> };
type ObjectOf<All> = PartialOf<Omit<All, RequiredNames<All>>> & {
  readonly [Name in RequiredNames<All>]: Present<All[Name]>;
};

const scalar =
  <Value>(type: string, wanted: string, is: (value: unknown) => value is Value) =>
  (definition: Definition = {}, words = wanted): Field<Value | undefined> => ({
    definition: { type, ...definition },
    read: (value, path, refuse) => (value === undefined || is(value) ? value : refuse(path, value, words)),
  });

export const text = scalar("string", "a text", (value) => typeof value === "string");
export const flag = scalar("boolean", "true or false", (value) => typeof value === "boolean");
export const whole = scalar("integer", "a whole number", (value): value is number => Number.isInteger(value));
export const time = (definition: Definition = {}) => text({ format: "date-time", ...definition });

/** Returns a field that accepts any value: the value is validated elsewhere or not at all. */
export const asWritten = (definition: Definition = {}): Field => ({ definition, read: (value) => value });

/** Returns a field that accepts only these values. */
export function choice<const Value extends string>(
  values: readonly Value[],
  definition: Definition = {},
  problem: (value: unknown) => Problem | string = () => sentence`one of ${values.join(", ")}`,
): Field<Value | undefined> {
  return {
    definition: { type: "string", enum: values, ...definition },
    read: (value, path, refuse) =>
      values.find((one) => one === value) ??
      (value === undefined ? undefined : refuse(path, value, problem(value))),
  };
}

/** Returns a list field. Refused items are left out. */
export function list<Item>(
  items: Field<Item>,
  definition: Definition = {},
  wanted = "a list",
): Field<readonly NonNullable<Item>[] | undefined> {
  return {
    definition: { type: "array", items: items.definition, ...definition },
    read(value, path, refuse) {
      if (value === undefined) return undefined;
      if (!Array.isArray(value)) return refuse(path, value, wanted);
      return value.flatMap((item: unknown, index) => items.read(item, `${path}[${index}]`, refuse) ?? []);
    },
  };
}

/** Returns a map field with any keys. Refused values are left out. */
export function map<Value>(
  values: Field<Value>,
  definition: Definition = {},
  wanted = "an object",
): Field<ReadonlyMap<string, NonNullable<Value>> | undefined> {
  return {
    definition: { type: "object", additionalProperties: values.definition, ...definition },
    read(value, path, refuse) {
      if (value === undefined) return undefined;
      if (!isRecord(value)) return refuse(path, value, wanted);
      const found = Object.entries(value).flatMap(([name, one]): [string, NonNullable<Value>][] => {
        const step = /^[-a-z0-9]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
        const read = values.read(one, `${path}${step}`, refuse);
        return read === undefined || read === null ? [] : [[name, read]];
      });
      return new Map(found);
    },
  };
}

const requiredNames = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));

/** Returns an object field whose value has only the members that are present and valid. */
export function partial<const All extends Fields>(
  fields: All,
  definition: Definition = {},
  wanted = "an object",
): Field<PartialOf<All> | undefined> {
  const all = Object.entries(fields);
  const required = requiredNames(fields);
  const properties = Object.fromEntries(all.map(([name, one]) => [name, one.definition]));
  return {
    definition: { type: "object", ...(required.length > 0 ? { required } : {}), properties, ...definition },
    read(value, path, refuse) {
      if (value === undefined) return undefined;
      if (!isRecord(value)) return refuse(path, value, wanted);
      let isAsRead = true;
      const read: (readonly [string, unknown])[] = [];
      for (const [name, field] of all) {
        const given = ownValue(value, name);
        const one = field.read(given, `${path}.${name}`, refuse);
        isAsRead &&= one === given;
        if (one !== undefined) read.push([name, one]);
      }
      // Reading leaves most records of a large report unchanged. Copying them would take most of the time.
      const isSame = isAsRead && read.length === Object.keys(value).length;
      return (isSame ? value : Object.fromEntries(read)) as PartialOf<All>;
    },
  };
}

/** Returns an object field that counts as absent if a required member is missing. */
export function object<const All extends Fields>(
  fields: All,
  definition: Definition = {},
  wanted?: string,
): Field<ObjectOf<All> | undefined> {
  const all = partial(fields, definition, wanted);
  const required = requiredNames(fields);
  const isWhole = (read: PartialOf<All>): read is ObjectOf<All> =>
    required.every((name) => Object.hasOwn(read, name));
  return parsed(all, (read) => (isWhole(read) ? read : undefined));
}

/** Returns the field as required. An absent value is the problem `missing`; without it, the field's reader decides. */
export const required = <Value>(
  field: Field<Value>,
  missing?: Problem,
): RequiredField<Value | undefined> => ({
  ...field,
  isRequired: true,
  read: (value, path, refuse) =>
    value === undefined && missing ? refuse(path, value, missing) : field.read(value, path, refuse),
});

/** Returns a field that ignores refused values without reporting them. */
export const lenient = <Value>(field: Field<Value>): Field<Value> => ({
  ...field,
  read: (value, path) => field.read(value, path, () => undefined),
});

/** Returns a field that converts a present value with `to`. `given` is the value before the field read it. */
export const parsed = <Value, To>(
  field: Field<Value>,
  to: (value: NonNullable<Value>, path: string, refuse: Refuse, given: unknown) => To,
): Field<To | undefined> => ({
  ...field,
  read(given, path, refuse) {
    const value = field.read(given, path, refuse);
    return value === undefined || value === null ? undefined : to(value, path, refuse, given);
  },
});

/** Returns the CEL rules of a field, with their messages. */
export const rules = (...all: readonly (readonly [rule: string, message: string])[]): Definition => ({
  "x-kubernetes-validations": all.map(([rule, message]) => ({ rule, message })),
});

/** Returns a field that reads null as absent, as the API server does. */
export const orNull = <Value>(field: Field<Value>): Field<Value> => ({
  ...field,
  read: (value, path, refuse) => field.read(value ?? undefined, path, refuse),
});

/** Reads a value without reports: refused values count as absent. */
export const valueIn = <Value>(field: Field<Value>, value: unknown): Value =>
  field.read(value, "", () => undefined);

/** Reads a field, and returns an issue for each refused value. `typeProblem` returns the problem of a wrong type. */
export function readField<Value>(
  of: KubernetesObject,
  path: string,
  value: unknown,
  field: Field<Value>,
  typeProblem?: (value: unknown, wanted: string, path: string) => Problem,
): Readonly<{ value: Value; issues: readonly Issue[] }> {
  const issues: Issue[] = [];
  const issueOf = (at: string, found: unknown, problem: Problem | string): Issue => {
    if (typeof problem !== "string") return fieldIssue(of, at, found, problem);
    return typeProblem
      ? fieldIssue(of, at, found, typeProblem(found, problem, at))
      : wrongType(of, at, found, problem);
  };
  const read = field.read(value, path, (...refused) => {
    issues.push(issueOf(...refused));
    return undefined;
  });
  return { value: read, issues };
}

/** Returns the field names in a definition, by path. Objects of the map type `atomic` are left out. */
export function knownFields(definition: Definition, path: string): KnownFields {
  if (definition["x-kubernetes-map-type"] === "atomic") return {};
  const { properties, items } = definition;
  if (isRecord(items)) return knownFields(items, `${path}[]`);
  if (!isRecord(properties)) return {};
  const inner = Object.entries(properties).flatMap(([name, one]) =>
    Object.entries(knownFields(fieldsOf(one), `${path}.${name}`)),
  );
  return Object.fromEntries([[path, Object.keys(properties)], ...inner]);
}
