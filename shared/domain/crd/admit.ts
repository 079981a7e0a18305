import { fieldsOf, isRecord, ownValue } from "../json/values.ts";
import { groupOf } from "../kubernetes/access.ts";
import { type KubernetesObject, namespaceOf } from "../kubernetes/object.ts";
import { checkRules, type Rule, type RuleFindings, type UnknownRule } from "./check-rules.ts";
import { type MatchPattern, valueErrors } from "./check-values.ts";
import { completeObject } from "./complete.ts";
import { blocksRules, childPath, type FieldError, fieldError } from "./field-error.ts";
import type { Schema } from "./schema.ts";

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
