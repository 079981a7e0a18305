import { isRecord, type UnknownRecord } from "#shared/domain/kubernetes/json/values.ts";
import { displayName, isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { decodeContents } from "#shared/domain/openshift/machine-config/ignition.ts";
import { outcomesAnnotation } from "#shared/domain/plan/kept-outcomes.ts";

/** What a hub sets, and times and versions that follow from it. */
const noise: readonly string[] = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "lastTransitionTime",
  "seen",
];
/** The identity of an object, which the line of its write already shows. */
const identity: readonly string[] = ["apiVersion", "kind", "name", "namespace"];

const without = (fields: object, names: readonly string[]): UnknownRecord =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** The fields that identify an item of a list, so that it is found in the next version of the list. */
const itemNames = ["type", "name", "path", "source"] as const;

const isCondition = (value: unknown): value is UnknownRecord =>
  isRecord(value) && typeof value.type === "string" && typeof value.status === "string";

const isReference = (value: unknown): value is Readonly<{ kind: string; name: string }> =>
  isRecord(value) && [value.apiVersion, value.kind, value.name].every((field) => typeof field === "string");

/** Returns the name of a list's item, and the item without it; undefined for an item without a name. */
function named(item: unknown): readonly [name: string, item: unknown] | undefined {
  if (!isRecord(item)) return undefined;
  if (isRecord(item.metadata)) return [`${item.kind}/${item.metadata.name}`, item];
  const field = itemNames.find((name) => typeof item[name] === "string");
  if (!field) return undefined;
  return [String(item[field]), isCondition(item) || isReference(item) ? item : without(item, [field])];
}

/** Returns the items of a list by name; undefined for a list whose items have no names of their own. */
function byName(list: readonly unknown[]): UnknownRecord | undefined {
  const items = list.map(named).filter((item) => item !== undefined);
  const found = new Map(items);
  return found.size === list.length && list.length > 0 ? Object.fromEntries(found) : undefined;
}

/** A line that says nothing: blank, the head of a table in TOML, or an empty value there. */
const emptyLine = /^\s*(?:\[\[.*\]\]|[\w-]+ = "")?$/;

/** Returns a value as a person reads it: conditions and references as a line, lists by name, files by line. */
function readable(value: unknown, field = ""): unknown {
  if (typeof value === "string") {
    if (field === outcomesAnnotation) return JSON.parse(value).map(({ type }: { type: string }) => type);
    const decoded = decodeContents({ source: value });
    const text = "text" in decoded ? decoded.text : value;
    const short = text.replaceAll(/([0-9a-f]{8})[0-9a-f]{56}/g, "$1…");
    return short.includes("\n") ? short.split("\n").filter((line) => !emptyLine.test(line)) : short;
  }
  if (Array.isArray(value)) {
    const items = byName(value);
    return items ? readable(items) : value.map((item) => readable(item));
  }
  if (!isRecord(value)) return value;
  const { status, reason, message, contents } = value;
  if (isCondition(value)) return [status, reason, message].filter(Boolean).join(" ");
  if (isReference(value)) return displayName(value);
  if (isRecord(contents) && contents.source !== undefined) return readable(contents.source);
  const shown = Object.entries(without(value, noise)).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(shown.map(([name, inner]) => [name, readable(inner, name)]));
}

/** Returns a value in one line, as YAML writes it in braces, without quotation marks. */
function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (!isRecord(value)) return String(value);
  const fields = Object.entries(value).map(([name, inner]) => `${name}: ${oneLine(inner)}`);
  return `{${fields.join(", ")}}`;
}

const pathOf = (path: string, name: string): string =>
  /^[\w-]+$/.test(name) ? [path, name].filter(Boolean).join(".") : `${path}[${name}]`;

/** Returns the items that only one of two lists has, as a patch shows them. */
function itemDifferences(before: readonly unknown[], after: readonly unknown[]): readonly string[] {
  const removed = before.map(oneLine);
  const added = after.map(oneLine).filter((item) => {
    const index = removed.indexOf(item);
    if (index >= 0) removed.splice(index, 1);
    return index < 0;
  });
  return [...removed.map((item) => `- ${item}`), ...added.map((item) => `+ ${item}`)];
}

function differences(before: unknown, after: unknown, path: string): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const present = after ?? before;
  if (Array.isArray(present) && Array.isArray(before ?? []) && Array.isArray(after ?? [])) {
    const items = itemDifferences(Object(before ?? []), Object(after ?? []));
    return items.length === 1 ? [`${path}: ${items[0]}`] : [`${path}:`, ...items.map((item) => `  ${item}`)];
  }
  if (isRecord(present) && isRecord(before ?? {}) && isRecord(after ?? {})) {
    // A manifest inside another object is shown by its name when it is new.
    if (before === undefined && "metadata" in present && path !== "") return [`${path}: new`];
    const [old, next] = [Object(before), Object(after)];
    const names = new Set([...Object.keys(old), ...Object.keys(next)]);
    return [...names].flatMap((name) => differences(old[name], next[name], pathOf(path, name)));
  }
  if (before === undefined) return [`${path}: ${oneLine(after)}`];
  if (after === undefined) return [`${path}: removed, was ${oneLine(before)}`];
  return [`${path}: ${oneLine(before)} → ${oneLine(after)}`];
}

function content(object: KubernetesObject | undefined): unknown {
  if (!object) return undefined;
  const { metadata, ...rest } = object;
  return readable({ metadata: without(metadata, identity), ...without(rest, identity) });
}

/** Returns what a write changed, a line for each field, without what the hub itself sets. */
export function changesOf(before: KubernetesObject | undefined, after: KubernetesObject): readonly string[] {
  // The line of its write names the reason and the object of an Event.
  if (isKind(kinds.Event, after)) return [`${after.type}: ${after.message} (×${after.count})`];
  return differences(content(before), content(after), "");
}

/** Returns the fields of an outcome's data, without empty lists and zeros. */
export function fieldsOf(data: object): readonly string[] {
  return Object.entries(data)
    .filter(([, value]) => value !== undefined && (Array.isArray(value) ? value.length : value) !== 0)
    .map(([name, value]) => `${name}: ${oneLine(readable(value, name))}`);
}
