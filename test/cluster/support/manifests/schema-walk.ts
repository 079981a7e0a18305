import { fieldsOf, listOf, objectsOf, ownValue } from "#shared/domain/kubernetes/json/values.ts";
import type { Kind } from "#shared/domain/kubernetes/object.ts";
import type { Crd } from "./crds.ts";

/** A field of an object, and the whole spec with another value in it. */
export type Variant = Readonly<{ path: string; spec: unknown }>;

type Inner = Readonly<{ path: string; value: unknown }>;

/** Texts that mean something in one field or another. */
const texts = ["walk", "quay.io/walk", "m.example.com/walk", "2h", "0 4 * * *"];
const maxDepth = 8;

/** Returns the smallest value that a schema describes. */
function sampleOf(schema: unknown): unknown {
  const { type, properties, required, enum: choices, items } = fieldsOf(schema);
  if (Array.isArray(choices)) return choices[0];
  if (type === "array") return [sampleOf(items)];
  if (type === "string") return "walk";
  if (type === "boolean") return true;
  if (type !== "object") return 1;
  const fields = fieldsOf(properties);
  return Object.fromEntries(listOf(required).map((name) => [name, sampleOf(ownValue(fields, String(name)))]));
}

function otherLeaves({ type, enum: choices }: Readonly<Record<string, unknown>>, value: unknown) {
  if (Array.isArray(choices)) return choices.filter((choice) => choice !== value);
  if (type === "boolean") return [value !== true];
  if (type === "integer" || type === "number") return [Number(value ?? 0) + 1, 0];
  return [`${value ?? "walk"}x`, ...texts].filter((text) => text !== value);
}

/** Returns a value with each field that its schema has changed, added or removed, one at a time. */
function variantsOf(schema: unknown, value: unknown, path: string, depth = 0): readonly Inner[] {
  const { type, properties, items, additionalProperties, ...leaf } = fieldsOf(schema);
  const at = (inner: readonly Inner[], place: (value: unknown) => unknown) =>
    inner.map((one) => ({ path: one.path, value: place(one.value) }));
  if (depth === maxDepth) return [];
  if (type === "array") {
    const [first, ...others] = listOf(value);
    if (first === undefined) return [{ path, value: [sampleOf(items)] }];
    const inner = variantsOf(items, first, `${path}[0]`, depth + 1);
    return [{ path, value: others }, ...at(inner, (item) => [item, ...others])];
  }
  if (type !== "object" || properties === undefined)
    return additionalProperties === undefined && type !== "object"
      ? otherLeaves({ ...leaf, type }, value).map((other) => ({ path, value: other }))
      : [];
  const present = fieldsOf(value);
  return Object.entries(fieldsOf(properties)).flatMap(([name, field]) => {
    const { [name]: own, ...others } = present;
    const removed = own === undefined ? [] : [{ path: `${path}.${name}`, value: others }];
    const inner = variantsOf(field, own, `${path}.${name}`, depth + 1);
    return [...removed, ...at(inner, (changed) => ({ ...present, [name]: changed }))];
  });
}

/** Returns the spec of an object with each field of its kind's schema changed, one at a time. */
export function walkOf(
  { apiVersion, plural }: Kind,
  crds: readonly Crd[],
  spec: unknown,
): readonly Variant[] {
  const crd = crds.find((one) => `${one.group}/${one.version}` === apiVersion && one.plural === plural);
  const [version] = objectsOf(fieldsOf(fieldsOf(crd?.manifest).spec).versions).filter(
    ({ name }) => name === crd?.version,
  );
  const { properties } = fieldsOf(fieldsOf(version?.schema).openAPIV3Schema);
  return variantsOf(fieldsOf(properties).spec, spec, "spec").map((one) => ({
    path: one.path,
    spec: one.value,
  }));
}
