import { isRecord, type UnknownRecord } from "../json/values.ts";
import { childPath } from "./field-error.ts";
import type { Schema } from "./schema.ts";

/** An object as the API server would store it, and the fields that it dropped. */
export type Completed = Readonly<{
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
export function completeObject(value: unknown, schema: Schema<unknown>): Completed {
  const dropped: string[] = [];
  return { value: complete(value, schema, "", dropped), dropped };
}
