import { issueObject } from "../issues/issue.ts";
import { fieldsOf, listOf } from "../kubernetes/json/values.ts";
import { displayName, type KubernetesObject } from "../kubernetes/object.ts";
import { type EmbeddedValue, embeddedIn, isInforming, isWanted } from "./embedded-objects.ts";
import {
  type InnerText,
  itemPositions,
  joined,
  type Place,
  placeIn,
  positionInFile,
  type ReadManifests,
  startOfText,
  unreadable,
} from "./located-object.ts";
import { syntaxIssue } from "./manifest-issues.ts";
import {
  below,
  type Position,
  parseYamlDocument,
  YamlDocumentError,
  type YamlPath,
} from "./yaml-document.ts";
import { splitYamlStream } from "./yaml-stream.ts";

/** Reads one value, which may be a list. */
type ReadValue = (value: unknown, path: YamlPath, place: Place) => ReadManifests;

/** Returns what was read inside an object, or in a document of another program. */
export function readEmbedded(
  values: readonly EmbeddedValue[],
  path: YamlPath,
  place: Place,
  readValue: ReadValue,
): ReadManifests {
  return joined(
    values.map((one): ReadManifests => {
      const inner = [...path, ...one.path];
      if ("registriesConf" in one) return readRegistriesConf(one.registriesConf, inner, place, readValue);
      if ("text" in one) return readInnerText(one, inner, place, readValue);
      const read = readValue(one.value, inner, place);
      const { moved } = one;
      if (!moved) return read;
      return { ...read, objects: read.objects.map((located) => ({ ...located, moved })) };
    }),
  );
}

/** Reads the objects in the text of a field, each document as one of a file. */
function readInnerText(
  { text, holdsTemplates }: Extract<EmbeddedValue, { text: string }>,
  path: YamlPath,
  { sourceLine, ...place }: Place,
  readValue: ReadValue,
): ReadManifests {
  const start = startOfText(place.positionOf(path), sourceLine);
  const chunks = splitYamlStream(text).filter(({ isEmpty }) => !isEmpty);
  return joined(
    chunks.map((chunk, index): ReadManifests => {
      const inFile = (position: Position) => positionInFile(start, below(position, chunk.line - 1));
      try {
        const { value, positionOf } = parseYamlDocument(chunk.text);
        const inner = placeIn(place, place.document, (at) => inFile(positionOf(at)));
        const read = holdsTemplates
          ? joined(
              listOf(value)
                .filter(isWanted)
                .map((item, at) =>
                  readValue(fieldsOf(item).objectDefinition, [at, "objectDefinition"], inner),
                ),
            )
          : readValue(value, [], inner);
        const own: InnerText = { text, document: index + 1, start };
        const objects = read.objects.map((located) => ({ text: own, ...located }));
        return { ...read, objects };
      } catch (error) {
        if (!(error instanceof YamlDocumentError)) throw error;
        return unreadable(syntaxIssue(place.file, inFile(error), error.message));
      }
    }),
  );
}

/** Reads the mirror sets that a cluster gets of a text in the form of registries.conf. */
function readRegistriesConf(
  text: string,
  path: YamlPath,
  { sourceLine, ...place }: Place,
  readValue: ReadValue,
): ReadManifests {
  const start = startOfText(place.positionOf(path), sourceLine);
  const found = place.readRegistriesConf?.(text) ?? { sets: [] };
  if ("problem" in found) {
    const position = positionInFile(start, { line: found.line, column: 1 });
    return unreadable(syntaxIssue(place.file, position, found.problem));
  }
  return joined(
    found.sets.map(({ value, rules, lines }): ReadManifests => {
      const positionOf = itemPositions(lines);
      const inner = placeIn(place, place.document, (at) => positionInFile(start, positionOf(at)));
      const read = readValue(value, [], inner);
      const own = { text: { text, document: 1, start, lines }, moved: { from: ["spec", rules], to: [] } };
      return { ...read, objects: read.objects.map((located) => ({ ...located, ...own })) };
    }),
  );
}

/** Returns the objects inside one, apart from those that are applied as they are. */
export function embeddedOf(
  object: KubernetesObject,
  path: YamlPath,
  place: Place,
  readValue: ReadValue,
): Partial<ReadManifests> {
  if (place.readsEmbedded !== true) return {};
  const contents = (isEnforced: boolean): ReadManifests => {
    const { values, leftOut } = embeddedIn(object, isEnforced);
    const { objects, embedded = [], ignored: _, ...read } = readEmbedded(values, path, place, readValue);
    const within = issueObject(object);
    const found = [...objects.map((located) => ({ ...located, within })), ...embedded];
    const unread = leftOut.map((why) => ({ what: displayName(within), why, count: 1 }));
    return joined([
      { ...read, objects: [], embedded: found },
      { objects: [], issues: [], unread },
    ]);
  };
  if (!isInforming(object)) return contents(false);
  return { informing: [{ policy: object, file: place.file, contents }] };
}
