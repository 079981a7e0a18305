import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import {
  fieldsOf,
  isRecord,
  listOf,
  objectsOf,
  ownValue,
  type UnknownRecord,
} from "#shared/domain/kubernetes/json/values.ts";
import { paths } from "../../../../infra/paths.ts";
import type { Crd } from "../manifests/crds.ts";
import { moduleDirectory } from "../programs/go.ts";

/** A JSON Schema, and the document in which its references are. */
export type Schema = Readonly<{ node: unknown; document: unknown }>;

/** A copy of an object that differs at this path. */
export type Mutation = Readonly<{ path: string; value: unknown }>;

/** Restrictions on values, without which every change of a field is valid. */
const rules = new Set(
  "allOf anyOf default enum exclusiveMaximum exclusiveMinimum format maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf not oneOf pattern required uniqueItems x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-validations".split(
    " ",
  ),
);

function looseSchema(schema: UnknownRecord): UnknownRecord {
  const { properties, items, additionalProperties, ...others } = schema;
  const inner = (value: unknown) => (isRecord(value) ? looseSchema(value) : value);
  return {
    ...Object.fromEntries(Object.entries(others).filter(([name]) => !rules.has(name))),
    ...(isRecord(properties)
      ? {
          properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)])),
        }
      : {}),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: inner(additionalProperties) }),
  };
}

/** Returns a CRD with every field of its schema and no rules about values: only admission refuses a change. */
export function withoutRules(crd: Crd): Crd {
  const manifest = fieldsOf(crd.manifest);
  const spec = fieldsOf(manifest.spec);
  const versions = listOf(spec.versions).map((version) => {
    const openAPIV3Schema = looseSchema(fieldsOf(fieldsOf(fieldsOf(version).schema).openAPIV3Schema));
    return { ...fieldsOf(version), schema: { openAPIV3Schema } };
  });
  return { ...crd, manifest: { ...manifest, spec: { ...spec, versions } } };
}

/** Follows references and joins the parts of a schema. */
function resolved({ node, document }: Schema): UnknownRecord {
  const { $ref, allOf, ...own } = fieldsOf(node);
  const target =
    typeof $ref === "string"
      ? $ref
          .slice(2)
          .split("/")
          .reduce<unknown>((found, name) => ownValue(fieldsOf(found), name), document)
      : undefined;
  const parts = [...(target ? [target] : []), ...listOf(allOf)].map((part) =>
    resolved({ node: part, document }),
  );
  const properties = Object.assign({}, ...[...parts, own].map((part) => part.properties));
  return Object.assign({}, ...parts, own, Object.keys(properties).length > 0 ? { properties } : {});
}

function otherLeaf(schema: UnknownRecord, value: unknown, sample: string): unknown {
  const type = listOf(schema.type)[0] ?? schema.type ?? typeof value;
  if (type === "boolean") return value !== true;
  if (type === "integer" || type === "number") return Number(value ?? 0) + 1;
  if (schema.format === "date-time") return "2026-01-01T00:00:00.000000Z";
  if (schema.format === "byte") return "d2Fsaw==";
  return value === undefined ? sample : `${value}x`;
}

/** The name of an item in a path: lists of conditions, manifests and files are sets by these fields. */
function labelOf(item: unknown, index: number): string {
  const { type, kind, name, path, metadata } = fieldsOf(item);
  return String(type ?? (kind && `${kind}/${name ?? fieldsOf(metadata).name}`) ?? name ?? path ?? index);
}

/** Returns the path of a field. */
export function pathTo(path: string, name: string): string {
  if (path === "") return name;
  return /^\w+$/.test(name) ? `${path}.${name}` : `${path}["${name}"]`;
}

const maxDepth = 24;

/**
 * Yields copies of a value, each with one field changed, removed or added: every field that the schema has, at every
 * depth, and what the value has beyond it. `schemaOf` returns the schema of a whole object within it.
 */
export function* mutations(
  schema: Schema | undefined,
  value: unknown,
  schemaOf: (value: UnknownRecord) => Schema | undefined,
  path = "",
): Generator<Mutation> {
  const node = resolved(
    (isRecord(value) ? schemaOf(value) : undefined) ?? schema ?? { node: {}, document: {} },
  );
  const document = (isRecord(value) ? schemaOf(value)?.document : undefined) ?? schema?.document;
  const { properties, items, additionalProperties } = node;
  const inside = (child: unknown): Schema | undefined => (child ? { node: child, document } : undefined);
  function* within(child: unknown, one: unknown, at: string, place: (other: unknown) => unknown) {
    if (path.split(/[.[]/).length > maxDepth) return;
    for (const inner of mutations(inside(child), one, schemaOf, at))
      yield { ...inner, value: place(inner.value) };
  }
  if (Array.isArray(value) || (value === undefined && items)) {
    const list = listOf(value);
    for (const [index, one] of list.entries()) {
      const at = `${path}[${labelOf(one, index)}]`;
      yield { path: at, value: list.toSpliced(index, 1) };
      yield* within(items, one, at, (other) => list.with(index, other));
    }
    const item = resolved({ node: items, document });
    const names = listOf(item.required).map(String);
    const whole = Object.fromEntries(names.map((name) => [name, otherLeaf({}, undefined, "walk")]));
    if (names.length > 0) yield { path: `${path}[+]`, value: [...list, whole] };
    yield* within(items, undefined, `${path}[+]`, (other) => [
      ...list,
      isRecord(other) ? { ...whole, ...other } : other,
    ]);
  } else if (
    isRecord(value) ||
    (value === undefined && (properties || additionalProperties || node.type === "object"))
  ) {
    const fields = fieldsOf(value);
    const known = fieldsOf(properties);
    const added = properties ? [] : ["walk"];
    for (const name of new Set([...Object.keys(known), ...Object.keys(fields), ...added])) {
      const at = pathTo(path, name);
      const { [name]: own, ...others } = fields;
      if (own !== undefined) yield { path: at, value: others };
      yield* within(ownValue(known, name) ?? additionalProperties, own, at, (other) => ({
        ...fields,
        [name]: other,
      }));
    }
  } else yield { path, value: otherLeaf(node, value, path.endsWith("[+]") ? "example.com/walk" : "walk") };
}

/** Reads the schema of Ignition 3.5, which no API server has: a MachineConfig contains any object there. */
async function ignitionSchema(): Promise<Schema> {
  const module = "github.com/coreos/ignition/v2";
  const folder = await moduleDirectory(join(paths.root, "bench/peers/ignition"), module);
  const document: unknown = JSON.parse(
    await readFile(join(folder, "config/v3_5/schema/ignition.json"), "utf8"),
  );
  return { node: document, document };
}

/** Returns a function to the schema of an object: that of its kind on this API server, or of Ignition. */
export async function schemasOf(
  api: Connection,
  apiVersions: readonly string[],
): Promise<(value: UnknownRecord) => Schema | undefined> {
  const ignition = await ignitionSchema();
  const schemas = new Map<string, Schema>();
  for (const apiVersion of apiVersions) {
    const path = `/openapi/v3/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`;
    // The API server publishes the schemas of a definition some time after it serves its objects.
    const document = await vi.waitFor(
      () => api.send({ what: `read the schemas of ${apiVersion}`, method: "GET", path }),
      { timeout: 60_000, interval: 250 },
    );
    for (const node of Object.values(fieldsOf(fieldsOf(fieldsOf(document).components).schemas))) {
      const [kind, ...others] = objectsOf(fieldsOf(node)["x-kubernetes-group-version-kind"]);
      if (kind && others.length === 0) schemas.set(`${apiVersion} ${kind.kind}`, { node, document });
    }
  }
  return ({ apiVersion, kind, ignition: isIgnition }) =>
    isIgnition ? ignition : schemas.get(`${apiVersion} ${kind}`);
}
