import { type Issue, placesOf } from "../issues/issue.ts";
import { fieldsOf, isSameJson, ownValue, withoutRepeats } from "../kubernetes/json/values.ts";
import { displayName } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import {
  type InnerText,
  itemPositions,
  type LocatedObject,
  positionInFile,
  type ReadOptions,
  type RuleTable,
} from "./located-object.ts";
import { jsonPositions, linesOf, tryParseJsonStream, yamlPositions } from "./positions.ts";
import { below, type PositionOf, YamlDocumentError, type YamlPath } from "./yaml-document.ts";
import { splitYamlStream } from "./yaml-stream.ts";

/** The text of a file, and the options for reading it. Objects and issues refer to the file as `file`. */
export type ManifestText = Readonly<{ file: string; text: string }> & ReadOptions;

type Wanted = Readonly<{ issue: Issue; object: LocatedObject; path: YamlPath }>;

const formsOf = (key: string): readonly string[] => [key, `[${key}]`, `[${JSON.stringify(key)}]`];

/** Returns the steps of a path in a value. Keys may contain dots, so the longest matching key counts. */
function stepsIn(value: unknown, text: string): YamlPath {
  if (typeof value !== "object" || value === null || text === "") return [];
  const rest = text.replace(/^\./, "");
  const found = Object.keys(value)
    .flatMap((key) => formsOf(key).map((form) => ({ key, form })))
    .filter(({ form }) => rest.startsWith(form) && /^(?:[.[]|$)/.test(rest.slice(form.length)))
    .sort((a, b) => b.form.length - a.form.length)[0];
  if (!found) return [];
  const step = Array.isArray(value) ? Number(found.key) : found.key;
  return [step, ...stepsIn(valueAt(value, [found.key]), rest.slice(found.form.length))];
}

function valueAt(value: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>(
    (inner, step) => (Array.isArray(inner) ? inner[Number(step)] : ownValue(fieldsOf(inner), String(step))),
    value,
  );
}

const policyField = "mirrorSourcePolicy";
const installerPolicyField = "sourcePolicy";

function documentPath({ path, moved }: LocatedObject, steps: YamlPath): YamlPath {
  if (!moved) return [...path, ...steps];
  const from = moved.from.split(".").filter(Boolean);
  const isMoved = from.every((step, index) => steps[index] === step);
  const below = isMoved ? steps.slice(from.length) : [];
  return [...path, ...moved.to, ...below.map((step) => (step === policyField ? installerPolicyField : step))];
}

/** Returns the last candidate with the issue's value, or else the last: a hub keeps the last of equal names. */
function objectOf({ path, value }: Issue, candidates: readonly LocatedObject[]): LocatedObject | undefined {
  const hasValue = ({ object }: LocatedObject) =>
    isSameJson(valueAt(object, stepsIn(object, path)) ?? null, value ?? null);
  return candidates.length > 1 ? (candidates.findLast(hasValue) ?? candidates.at(-1)) : candidates[0];
}

function documentsOf(text: string): (document: number) => PositionOf {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const json = tryParseJsonStream(source);
  if (json) {
    const lines = linesOf(source);
    return (document) => jsonPositions(source, json[document - 1]?.offset ?? 0, lines);
  }
  const chunks = splitYamlStream(source).filter(({ isEmpty }) => !isEmpty);
  return (document) => {
    const chunk = chunks[document - 1];
    if (!chunk) return () => ({ line: 1, column: 1 });
    const positionOf = yamlPositions(chunk.text);
    return (path) => below(positionOf(path), chunk.line - 1);
  };
}

function positionsInText({ text, document, start, tables }: InnerText): PositionOf {
  const positionOf = tables ? itemPositions(tables) : documentsOf(text)(document);
  return (path) => positionInFile(start, positionOf(path));
}

/** Returns the issues with file, line and column. Issues about none of the `objects` stay unchanged. */
export function withPlaces(
  given: readonly Issue[],
  objects: readonly LocatedObject[],
  texts: readonly ManifestText[],
): readonly Issue[] {
  const issues = given.flatMap((issue) => [issue, ...(issue.conflicting ?? [])]);
  if (issues.every(({ file }) => file !== undefined)) return given;
  const named = Map.groupBy(objects, ({ object: { kind, metadata } }) => displayName({ kind, ...metadata }));
  const wanted = issues.flatMap((issue): readonly Wanted[] => {
    if (issue.file !== undefined) return [];
    const object = objectOf(issue, named.get(displayName(issue.object)) ?? []);
    return object ? [{ issue, object, path: documentPath(object, stepsIn(object.object, issue.path)) }] : [];
  });
  const textOf = new Map(texts.map(({ file, text }) => [file, text]));
  const placed = new Map<Issue, Issue>();
  for (const [file, ofFile] of Map.groupBy(wanted, ({ object }) => object.file)) {
    const positionsOf = documentsOf(textOf.get(file) ?? "");
    const partOf = ({ object: { text, document } }: Wanted): InnerText | number => text ?? document;
    for (const [part, ofPart] of Map.groupBy(ofFile, partOf)) {
      const positionOf = typeof part === "number" ? positionsOf(part) : positionsInText(part);
      for (const { issue, object, path } of ofPart) {
        const position = positionIn(object, () => positionOf(path));
        placed.set(issue, { ...asWritten(issue, object), file, ...position });
      }
    }
  }
  const placedOf = (issue: Issue): Issue => placed.get(issue) ?? issue;
  return given.map((one) => {
    const { conflicting, ...issue } = placedOf(one);
    if (!conflicting) return placedOf(one);
    const others = conflicting.map(placedOf);
    const unplaced = others.filter(({ file }) => file === undefined);
    const related = withoutRepeats([...(issue.related ?? []), ...others.flatMap(placesOf)]);
    return { ...issue, related, ...(unplaced.length > 0 ? { conflicting: unplaced } : {}) };
  });
}

const ofRule = /^\[(\d+)\](\.source)?(?:\.mirrors\[(\d+)\])?/;

const tablesIn = (rest: string, tables: readonly RuleTable[]): string =>
  rest.replace(ofRule, (_, rule: string, source?: string, mirror?: string) => {
    const { name = "", mirrors = [] } = tables[Number(rule)] ?? {};
    return mirrors[Number(mirror)] ?? `${name}${source ? ".location" : ""}`;
  });

/** Returns the issue with the object and fields that the user wrote, instead of the derived object and its fields. */
function asWritten(issue: Issue, { file, moved, text, within, isOfInstaller }: LocatedObject): Issue {
  const object = isOfInstaller ? { kind: "File", name: file } : within;
  if (!moved || !object) return issue;
  const { from, name: to } = moved;
  const renamed = (given: string) => {
    const [start = "", ...rest] = given.split(from);
    const own = rest.map((one) => `${to}${text?.tables ? tablesIn(one, text.tables) : one}`);
    const all = [start, ...own].join("");
    if (!isOfInstaller) return all.replace(/^\w+(?= has no such field)/, object.kind);
    return all
      .replaceAll(policyField, installerPolicyField)
      .replace("the API server refuses it", "the installer refuses it");
  };
  const path = issue.path.startsWith(from) ? renamed(issue.path) : to.replace(/\.$/, "");
  const [value, message, remedy] =
    issue.code === "DeprecatedKind"
      ? [undefined, sentence`${to} is deprecated`, "Rename it to imageDigestSources."]
      : [issue.value, renamed(issue.message), renamed(issue.remedy)];
  return { ...issue, object, path, value, message, remedy };
}

/** Returns the result of `position`; the object's line if `position` fails, as for a list item that is an alias. */
function positionIn({ line }: LocatedObject, position: () => ReturnType<PositionOf>): ReturnType<PositionOf> {
  try {
    return position();
  } catch (error) {
    if (error instanceof YamlDocumentError) return { line, column: 1 };
    throw error;
  }
}
