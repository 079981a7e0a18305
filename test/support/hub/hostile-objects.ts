import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

/**
 * Returns a copy of an object with another value at a path, whose names have a blank between them; without a value the
 * field or item is removed. An item of a list has its index, kind, name or mountPath as its name, and `+` adds one.
 */
export function changedAt(object: KubernetesObject, path: string, value?: unknown): KubernetesObject {
  const copy = structuredClone(object);
  const names = path.split(" ");
  const last = names.pop() ?? "";
  const keyIn = (fields: unknown, name: string): string | number => {
    if (!Array.isArray(fields)) return name;
    const index = fields.findIndex((item) => [item.kind, item.name, item.mountPath].includes(name));
    return index < 0 ? Number(name) : index;
  };
  const parent = names.reduce((fields, name) => fields[keyIn(fields, name)], Object(copy));
  const key = keyIn(parent, last);
  if (last === "+") parent.push(value);
  else if (value !== undefined) parent[key] = value;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return copy;
}

/** Returns the rows of a table by what the refusal says, and by what is refused. */
export const refused = <Given>(table: Readonly<Record<string, Readonly<Record<string, Given>>>>) =>
  Object.entries(table).flatMap(([says, rows]) =>
    Object.entries(rows).map(([what, given]) => ({
      name: `When ${what}, it should be refused`,
      given,
      says,
    })),
  );
