import { fieldsOf, isRecord, ownValue } from "#shared/domain/json/values.ts";

/** Returns the part of a kind's OpenAPI schema at a path of fields, through lists; undefined when there is none. */
export function fieldOf(schema: unknown, path: string): unknown {
  return path.split(".").reduce((at: unknown, name) => {
    const { items } = fieldsOf(at);
    const { properties } = isRecord(items) ? items : fieldsOf(at);
    return isRecord(properties) ? ownValue(properties, name) : undefined;
  }, schema);
}
