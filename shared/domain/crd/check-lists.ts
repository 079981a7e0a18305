import { fieldsOf, isRecord, ownValue } from "../json/values.ts";
import { childPath, type FieldError, fieldError } from "./field-error.ts";
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
export function listTypeErrors(value: unknown, schema: Schema<unknown>, path = ""): readonly FieldError[] {
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
