import { sentence } from "../credentials/redact.ts";
import { isRecord, isSameJson, ownValue } from "../json/values.ts";
import { isUnchanged, type Stored, storedField, storedItem } from "./correlation.ts";
import { childPath, type FieldError, fieldError } from "./field-error.ts";
import type { Schema } from "./schema.ts";

/** Reports whether a text matches a CRD's pattern in RE2 syntax: several patterns hang JavaScript's engine. */
export type MatchPattern = (pattern: string, text: string) => boolean;

type Check = Readonly<{ matches: MatchPattern | undefined }>;

function jsonType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function typesOf({ type, isIntOrString }: Schema<unknown>): readonly string[] {
  if (isIntOrString) return ["integer", "string"];
  return type === undefined ? [] : [type];
}

function typeErrors(value: unknown, schema: Schema<unknown>, path: string): readonly FieldError[] {
  const types = typesOf(schema);
  const found = jsonType(value);
  const fits =
    types.length === 0 ||
    types.includes(found) ||
    (found === "integer" && types.includes("number")) ||
    (found === "null" && schema.nullable === true);
  if (fits) return [];
  const detail = sentence`${path} in body must be of type ${types.join(",")}: "${found}"`;
  return [fieldError("FieldValueTypeInvalid", path, value, detail, found)];
}

function enumErrors(value: unknown, schema: Schema<unknown>, path: string): readonly FieldError[] {
  if (!schema.enum || schema.enum.length === 0) return [];
  if (schema.enum.some((allowed) => isSameJson(allowed, value))) return [];
  const quoted = schema.enum.map((allowed) =>
    JSON.stringify(typeof allowed === "string" ? allowed : JSON.stringify(allowed)),
  );
  return [
    fieldError("FieldValueNotSupported", path, value, sentence`supported values: ${quoted.join(", ")}`),
  ];
}

const invalid = (path: string, value: unknown, detail: string) =>
  fieldError("FieldValueInvalid", path, value, sentence`${path} in body ${detail}`);

/** Returns only the first error of a text, as the API server does. */
function textErrors(
  value: string,
  schema: Schema<unknown>,
  path: string,
  check: Check,
): readonly FieldError[] {
  const { minLength, maxLength, pattern } = schema;
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) {
    const detail = `may not be more than ${maxLength} ${maxLength === 1 ? "byte" : "bytes"}`;
    return [fieldError("FieldValueTooLong", path, value, detail)];
  }
  if (minLength !== undefined && length < minLength) {
    return [invalid(path, value, `should be at least ${minLength} chars long`)];
  }
  if (pattern !== undefined && check.matches?.(pattern, value) === false) {
    return [invalid(path, value, sentence`should match '${pattern}'`)];
  }
  return [];
}

function numberErrors(value: number, schema: Schema<unknown>, path: string): readonly FieldError[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const errors: FieldError[] = [];
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    const than = exclusiveMinimum ? "greater than" : "greater than or equal to";
    errors.push(invalid(path, value, `should be ${than} ${minimum}`));
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    const than = exclusiveMaximum ? "less than" : "less than or equal to";
    errors.push(invalid(path, value, `should be ${than} ${maximum}`));
  }
  return errors;
}

function tooMany(path: string, value: unknown, count: number, max: number): FieldError {
  const detail = `must have at most ${max} ${max === 1 ? "item" : "items"}`;
  return fieldError("FieldValueTooMany", path, value, detail, count);
}

function listErrors(
  value: readonly unknown[],
  schema: Schema<unknown>,
  path: string,
  stored: Stored,
  check: Check,
): readonly FieldError[] {
  const { items, minItems, maxItems } = schema;
  const errors = items
    ? value.flatMap((item, index) =>
        valueErrors(item, items, `${path}[${index}]`, storedItem(stored, schema, item), check),
      )
    : [];
  if (minItems !== undefined && value.length < minItems) {
    const detail = sentence`${path} in body should have at least ${minItems} items`;
    errors.push(fieldError("FieldValueInvalid", path, value, detail, value.length));
  }
  if (maxItems !== undefined && value.length > maxItems) {
    errors.push(tooMany(path, value, value.length, maxItems));
  }
  return errors;
}

function fieldErrors(
  value: Readonly<Record<string, unknown>>,
  schema: Schema<unknown>,
  path: string,
  stored: Stored,
  check: Check,
): readonly FieldError[] {
  const { properties, additionalProperties, required = [], minProperties, maxProperties } = schema;
  const names = Object.keys(value);
  const errors: FieldError[] = [];
  if (minProperties !== undefined && names.length < minProperties) {
    const detail = sentence`${path} in body should have at least ${minProperties} properties`;
    errors.push(fieldError("FieldValueInvalid", path, value, detail, names.length));
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    errors.push(tooMany(path, value, names.length, maxProperties));
  }
  for (const name of names) {
    const known = properties?.get(name) ?? additionalProperties;
    if (known)
      errors.push(
        ...valueErrors(ownValue(value, name), known, childPath(path, name), storedField(stored, name), check),
      );
  }
  for (const name of required) {
    if (!Object.hasOwn(value, name))
      errors.push(fieldError("FieldValueRequired", childPath(path, name), undefined, ""));
  }
  return errors;
}

function combinedErrors(
  value: unknown,
  schema: Schema<unknown>,
  path: string,
  check: Check,
): readonly FieldError[] {
  const { allOf = [], anyOf, oneOf, not } = schema;
  const errorsOf = (one: Schema<unknown>) => valueErrors(value, one, path, undefined, check);
  const holds = (one: Schema<unknown>) => errorsOf(one).length === 0;
  const errors = allOf.flatMap(errorsOf);
  const fail = (detail: string) =>
    errors.push(fieldError("FieldValueInvalid", path, value, sentence`"${path}" ${detail}`, ""));
  if (anyOf && !anyOf.some(holds)) fail("must validate at least one schema (anyOf)");
  const count = oneOf?.filter(holds).length;
  if (count === 0) fail("must validate one and only one schema (oneOf). Found none valid");
  else if (count !== undefined && count > 1)
    fail(`must validate one and only one schema (oneOf). Found ${count} valid alternatives`);
  if (not && holds(not)) fail("must not validate the schema (not)");
  return errors;
}

/** Returns the schema's errors for a value, in the API server's words. A value that is already stored passes. */
export function valueErrors(
  value: unknown,
  schema: Schema<unknown>,
  path: string,
  stored: Stored,
  check: Check,
): readonly FieldError[] {
  const errors = [...typeErrors(value, schema, path), ...enumErrors(value, schema, path)];
  if (typeof value === "string") errors.push(...textErrors(value, schema, path, check));
  else if (typeof value === "number") errors.push(...numberErrors(value, schema, path));
  else if (Array.isArray(value)) errors.push(...listErrors(value, schema, path, stored, check));
  else if (isRecord(value)) errors.push(...fieldErrors(value, schema, path, stored, check));
  if (value !== null) errors.push(...combinedErrors(value, schema, path, check));
  return errors.length > 0 && isUnchanged(value, stored) ? [] : errors;
}
