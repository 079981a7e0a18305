import type { Schema } from "#shared/domain/crd/schema.ts";
import { isRecord, isSameJson, ownValue } from "#shared/domain/json/values.ts";

/** Reserved words of CEL: Kubernetes puts double underscores around fields with such names. */
const reserved: ReadonlySet<string> = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace " +
    "return var void while"
  ).split(" "),
);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** Returns the name of a field in a rule. Source: Kubernetes' escaping of property names. */
function celName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[./-]/g, (found) => ownValue(escapes, found) ?? found);
}

/** Converts a string to a CEL value by its format. */
export type ReadFormat = (format: string, text: string) => unknown;

/** Converts a JSON value to a CEL value: integers as BigInt, escaped field names, only fields of the schema. */
export function celValue(value: unknown, schema: Schema<unknown>, read: ReadFormat): unknown {
  if (typeof value === "number") {
    const isWhole = Number.isInteger(value) && schema.type !== "number";
    return isWhole ? BigInt(value) : value;
  }
  if (typeof value === "string") return schema.format ? read(schema.format, value) : value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => celValue(item, items, read)) : value;
  }
  if (!isRecord(value)) return value;
  const { properties, additionalProperties } = schema;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const property = properties?.get(name);
      if (property) return [[celName(name), celValue(field, property, read)] as const];
      return additionalProperties ? [[name, celValue(field, additionalProperties, read)] as const] : [];
    }),
  );
}

const keyOf = (item: unknown, keys: readonly string[]) =>
  isRecord(item) ? keys.map((key) => ownValue(item, key) ?? null) : item;

function alignItems(old: readonly unknown[], now: readonly unknown[], schema: Schema<unknown>): unknown {
  const keys = schema.listType === "map" ? (schema.listMapKeys ?? []) : [];
  const unmatched = [...old];
  const aligned: unknown[] = [];
  for (const item of now) {
    const at = unmatched.findIndex((other) => isSameJson(keyOf(other, keys), keyOf(item, keys)));
    if (at >= 0) aligned.push(...unmatched.splice(at, 1));
  }
  return [...aligned, ...unmatched];
}

/** Returns the stored value in the order of the new one where order does not count: sets, and lists with map keys. */
export function alignOrder(old: unknown, now: unknown, schema: Schema<unknown>): unknown {
  if (Array.isArray(old) && Array.isArray(now)) {
    return schema.listType === "set" || schema.listType === "map" ? alignItems(old, now, schema) : old;
  }
  if (!isRecord(old) || !isRecord(now)) return old;
  return Object.fromEntries(
    Object.entries(old).map(([name, field]) => {
      const known = schema.properties?.get(name) ?? schema.additionalProperties;
      return [name, known ? alignOrder(field, ownValue(now, name), known) : field];
    }),
  );
}
