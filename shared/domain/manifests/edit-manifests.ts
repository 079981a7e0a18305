import { type Document, isMap, isSeq, parseDocument, visit } from "yaml";
import { isRecord, isSameJson, ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { LocatedObject } from "./located-object.ts";
import { readManifests, writeYaml } from "./manifests.ts";
import { tryParseJsonStream } from "./positions.ts";
import { parseYamlDocument, type YamlPath } from "./yaml-document.ts";
import { splitYamlStream, type YamlChunk } from "./yaml-stream.ts";
import { kubectlSchema } from "./yaml-value.ts";

type Place = Pick<LocatedObject, "document" | "path">;

/** Changes the value at `path` to `after`. Values that do not differ from `before` keep comments and style. */
function merge(document: Document, path: YamlPath, before: unknown, after: unknown): void {
  if (isSameJson(before, after)) return;
  const node = document.getIn(path, true);
  if (isRecord(before) && isRecord(after) && isMap(node)) {
    for (const key of Object.keys(before))
      if (Object.hasOwn(after, key))
        merge(document, [...path, key], ownValue(before, key), ownValue(after, key));
      else document.deleteIn([...path, key]);
    for (const [key, value] of Object.entries(after))
      if (!Object.hasOwn(before, key)) document.setIn([...path, key], value);
  } else if (Array.isArray(before) && Array.isArray(after) && isSeq(node)) {
    for (let index = before.length - 1; index >= after.length; index--) document.deleteIn([...path, index]);
    for (const [index, value] of after.entries())
      if (index < before.length) merge(document, [...path, index], before[index], value);
      else document.addIn(path, value);
  } else document.setIn(path, after);
}

function withItem(value: unknown, [step, ...rest]: YamlPath, item: unknown): unknown {
  if (step === undefined) return item;
  if (Array.isArray(value) && typeof step === "number")
    return rest.length === 0 && item === undefined
      ? value.toSpliced(step, 1)
      : value.with(step, withItem(value[step], rest, item));
  return isRecord(value) ? { ...value, [step]: withItem(ownValue(value, String(step)), rest, item) } : value;
}

/** A value that several places share by aliases cannot be edited at one place only. */
function hasAnchors(document: Document): boolean {
  let found = false;
  visit(document, {
    Alias() {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

function listsAreIndented(text: string): boolean {
  return !/^( *)[^\s#-].*:[ \t]*\r?\n\1- /m.test(text);
}

function editDocument(text: string, path: YamlPath, wanted: unknown): string {
  const { value } = parseYamlDocument(text);
  const edited = withItem(value, path, wanted);
  const document: Document = parseDocument(text, { ...kubectlSchema, uniqueKeys: false, logLevel: "silent" });
  if (!hasAnchors(document)) {
    merge(document, [], value, edited);
    const merged = document.toString({ lineWidth: 0, indentSeq: listsAreIndented(text) });
    if (isSameJson(parseYamlDocument(merged).value, edited)) return merged;
  }
  return `${text.startsWith("---") ? "---\n" : ""}${writeYaml(edited)}`;
}

function editYaml(text: string, { document, path }: Place, wanted: KubernetesObject | undefined): string {
  const chunks = splitYamlStream(text);
  const target: YamlChunk | undefined = chunks.filter(({ isEmpty }) => !isEmpty)[document - 1];
  const edited = chunks.map((chunk) => {
    if (chunk !== target) return chunk.text;
    return wanted || path.length > 0 ? editDocument(chunk.text, path, wanted) : "";
  });
  const isEmpty = chunks.every((chunk, index) => chunk.isEmpty || edited[index] === "");
  return isEmpty ? "" : edited.join("");
}

function edit(text: string, place: Place, wanted: KubernetesObject | undefined): string {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const json = tryParseJsonStream(source);
  if (!json) return editYaml(source, place, wanted);
  const values = json
    .map(({ value }, index) => (index + 1 === place.document ? withItem(value, place.path, wanted) : value))
    .filter((value) => value !== undefined);
  const indent = json.length === 1 ? 2 : 0;
  return values.map((value) => `${JSON.stringify(value, undefined, indent)}\n`).join("");
}

/** Returns a manifest file's text with `wanted` as the object at `place`. The other YAML documents stay unchanged. */
export function replaceManifest(text: string, place: Place, wanted: KubernetesObject): string {
  return edit(text, place, wanted);
}

/** Returns the text of a manifest file without the object at `place`; an empty text if the file has no other object. */
export function removeManifest(text: string, place: Place): string {
  const edited = edit(text, place, undefined);
  const { objects, issues } = readManifests(edited, "");
  return objects.length === 0 && issues.length === 0 ? "" : edited;
}
