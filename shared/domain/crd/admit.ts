import { fieldsOf, isRecord, ownValue, type UnknownRecord } from "../json/values.ts";
import { groupOf } from "../kubernetes/access.ts";
import { type KubernetesObject, namespaceOf } from "../kubernetes/object.ts";
import { checkRules, type Rule, type RuleFindings, type UnknownRule } from "./check-rules.ts";
import { type MatchPattern, valueErrors } from "./check-values.ts";
import { blocksRules, childPath, type FieldError, fieldError } from "./field-error.ts";
import type { Schema } from "./schema.ts";

/** An object as the API server would store it, and the fields that it dropped. */
type Completed = Readonly<{
  value: unknown;
  /** Paths of the fields that the schema does not have. */
  dropped: readonly string[];
}>;

/** Kept in the root and in embedded objects, whatever the schema says. */
const objectFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function isDefaulted(value: unknown, schema: Schema<unknown>): boolean {
  return value === undefined || (value === null && !schema.nullable);
}

function completeFields(
  fields: UnknownRecord,
  schema: Schema<unknown>,
  path: string,
  dropped: string[],
): UnknownRecord {
  const result = new Map<string, unknown>();
  for (const [name, value] of Object.entries(fields)) {
    const known = schema.properties?.get(name) ?? schema.additionalProperties;
    const isEveryObjects = objectFields.has(name) && (path === "" || schema.isEmbedded);
    // The API server drops a null where the schema does not allow it.
    if (known && value === null && !known.nullable && known.default === undefined) continue;
    if (known && !isEveryObjects) result.set(name, complete(value, known, childPath(path, name), dropped));
    else if (isEveryObjects || schema.keepsUnknown) result.set(name, value);
    else dropped.push(childPath(path, name));
  }
  for (const [name, property] of schema.properties ?? []) {
    if (property.default !== undefined && isDefaulted(result.get(name), property))
      result.set(name, complete(property.default, property, childPath(path, name), dropped));
  }
  return Object.fromEntries(result);
}

function complete(value: unknown, schema: Schema<unknown>, path: string, dropped: string[]): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return value;
    return value.map((item, index) => {
      const isMissing = item === null && !items.nullable && items.default !== undefined;
      return complete(isMissing ? items.default : item, items, `${path}[${index}]`, dropped);
    });
  }
  return isRecord(value) ? completeFields(value, schema, path, dropped) : value;
}

/** Drops unknown fields and sets the schema's defaults, as the API server does before it validates. */
function completeObject(value: unknown, schema: Schema<unknown>): Completed {
  const dropped: string[] = [];
  return { value: complete(value, schema, "", dropped), dropped };
}

function identity(item: unknown, { listType, listMapKeys = [] }: Schema<unknown>): unknown {
  if (listType === "set") return item;
  const fields = fieldsOf(item);
  return Object.fromEntries(
    listMapKeys.filter((key) => Object.hasOwn(fields, key)).map((key) => [key, ownValue(fields, key)]),
  );
}

/** Only the second occurrence is an error, as in the API server. */
function repeats(list: readonly unknown[], schema: Schema<unknown>, path: string): readonly FieldError[] {
  if (schema.listType !== "set" && schema.listType !== "map") return [];
  const times = new Map<string, number>();
  return list.flatMap((item, index) => {
    const it = identity(item, schema);
    const text = JSON.stringify(it);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [fieldError("FieldValueDuplicate", `${path}[${index}]`, item, "", it)] : [];
  });
}

/** Returns an error for every item that a list of type `set` or `map` has twice. */
function listTypeErrors(value: unknown, schema: Schema<unknown>, path = ""): readonly FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    const inside = items
      ? value.flatMap((item, index) => listTypeErrors(item, items, `${path}[${index}]`))
      : [];
    return [...repeats(value, schema, path), ...inside];
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const property = schema.properties?.get(name);
    if (property) return listTypeErrors(field, property, childPath(path, name));
    const other = schema.additionalProperties;
    return other ? listTypeErrors(field, other, `${path}[${name}]`) : [];
  });
}

/** The verdict of an API server with this schema about an object. */
export type Admission = Readonly<{
  /** Empty when the object is accepted. */
  errors: readonly FieldError[];
  /** Fields that the schema does not have. They are dropped; strict validation refuses them. */
  dropped: readonly string[];
  /** Rules that hubrelay cannot evaluate. */
  unknownRules: readonly UnknownRule[];
}>;

/** The status is a subresource: a write of the object keeps the stored one. */
function withStatusOf(object: Readonly<Record<string, unknown>>, other: unknown): Record<string, unknown> {
  const { status: _, ...rest } = object;
  return isRecord(other) && other.status !== undefined ? { ...rest, status: other.status } : rest;
}

/**
 * Returns what an API server reports when the object is created, or when it replaces `stored`: errors of the
 * schema, of list types and then of validation rules. Rules are skipped when the object has a wrong shape.
 * `status` and `metadata` are not validated. Patterns are skipped without `matches`.
 */
export function admit(
  object: KubernetesObject,
  stored: KubernetesObject | undefined,
  schema: Schema<Rule>,
  matches?: MatchPattern,
): Admission {
  const old = stored && completeObject(stored, schema).value;
  const { value, dropped } = completeObject(withStatusOf(object, old), schema);
  const before = old === undefined ? undefined : { value: old };
  const shape = valueErrors(value, schema, "", before, { matches });
  const wasWrong = old !== undefined && listTypeErrors(old, schema).length > 0;
  const errors = [...shape, ...(wasWrong ? [] : listTypeErrors(value, schema))];
  if (errors.some(({ type }) => blocksRules.has(type))) {
    const detail =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return {
      errors: [...errors, fieldError("FieldValueInvalid", "<nil>", null, detail)],
      dropped,
      unknownRules: [],
    };
  }
  const findings: RuleFindings = { errors: [], unknown: [] };
  checkRules(value, schema, "", before, findings);
  return { errors: [...errors, ...findings.errors], dropped, unknownRules: findings.unknown };
}

/** Returns the stored object that the object replaces: of the same kind, namespace and name. */
export function findStored(
  object: KubernetesObject,
  stored: readonly KubernetesObject[],
): KubernetesObject | undefined {
  return stored.find(
    (other) =>
      other.kind === object.kind &&
      groupOf(other) === groupOf(object) &&
      other.metadata.name === object.metadata.name &&
      namespaceOf(other) === namespaceOf(object),
  );
}
