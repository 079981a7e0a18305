import { isRecord } from "../json/values.ts";
import { kinds } from "../kubernetes/kinds.ts";
import { manifestProblems, tryReadDamagedObject } from "./manifest-object.ts";

const groupOf = (apiVersion: string): string => apiVersion.split("/")[0] ?? "";
const readGroups = new Set(Object.values(kinds).map(({ apiVersion }) => groupOf(apiVersion)));

/**
 * Reports whether the value is an input of another program, such as kustomize or oc-mirror, which has a kind but no name.
 * In a group that hubrelay reads, it is an object whose kind may be misspelt.
 */
export function isInputOfAnotherProgram(value: unknown): boolean {
  const object = tryReadDamagedObject(value);
  if (!object || readGroups.has(groupOf(object.apiVersion))) return false;
  return manifestProblems(value).every(({ path }) => path.join(".") === "metadata.name");
}

/** Reports whether the value has the fields that only objects have. Helm's Chart.yaml has an apiVersion, but no kind. */
export function resemblesObject(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return value.kind !== undefined || (value.apiVersion !== undefined && value.metadata !== undefined);
}

/** Returns an item of a list with its kind: the API server omits apiVersion and kind of the items in a typed list. */
export function itemOf(list: Readonly<Record<string, unknown>>, item: unknown): unknown {
  const { apiVersion, kind } = list;
  if (!isRecord(item) || item.apiVersion !== undefined || item.kind !== undefined) return item;
  if (typeof kind !== "string" || kind === "List") return item;
  return { apiVersion, kind: kind.slice(0, -"List".length), ...item };
}
