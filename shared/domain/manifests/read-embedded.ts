import { type Issue, issueObject, type Problem } from "../issues/issue.ts";
import { fieldsOf, isRecord, listOf, ownValue } from "../kubernetes/json/values.ts";
import { displayName, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
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
import { placedIssue, syntaxIssue } from "./manifest-issues.ts";
import {
  below,
  type Position,
  parseYamlDocument,
  YamlDocumentError,
  type YamlPath,
} from "./yaml-document.ts";
import { splitYamlStream } from "./yaml-stream.ts";

const lists = [
  {
    list: "imageDigestSources",
    kind: kinds.ImageDigestMirrorSet,
    rules: "imageDigestMirrors",
    name: "image-digest-mirror",
    fields: ["source", "mirrors", "sourcePolicy"],
  },
  {
    list: "imageContentSources",
    kind: kinds.ImageContentSourcePolicy,
    rules: "repositoryDigestMirrors",
    name: "image-policy",
    fields: ["source", "mirrors"],
  },
] as const;
const listNames: readonly string[] = lists.map(({ list }) => list);

const dropped = (field: string, known: readonly string[]): Problem => ({
  code: "UnknownField",
  severity: "warning",
  message: sentence`install-config.yaml has no field ${field} here: the installer drops it with a warning`,
  remedy: sentence`Remove it, or correct its name; the fields here are ${known.join(", ")}.`,
});

const together: Problem = {
  code: "InvalidValue",
  message: "the installer refuses imageContentSources and imageDigestSources together",
  remedy: "Move the items of imageContentSources to imageDigestSources.",
};

/** Matches names that the installer refuses but API servers accept (pkg/types/validation, validateNamedRepository). */
const notNamed = /^(?:\*|(?!localhost\/)[^.:/]+\/)/;
const refusedName: Problem = {
  code: "InvalidValue",
  message: "the installer refuses a wildcard, and a host name that is not full",
  remedy: "Write a repository with its full host name.",
};

const asRule =
  (fields: readonly string[]) =>
  (item: unknown): unknown =>
    isRecord(item)
      ? Object.fromEntries(
          Object.entries(item)
            .filter(([field]) => fields.includes(field))
            .map(([field, found]) => [field === "sourcePolicy" ? "mirrorSourcePolicy" : field, found]),
        )
      : item;

/**
 * Returns the mirror objects that the installer makes from an install-config.yaml; undefined for other documents.
 * Source: the installer's pkg/types/installconfig.go.
 */
export function readInstallConfig(
  value: unknown,
  path: YamlPath,
  place: Place,
): Readonly<{ values: readonly EmbeddedValue[]; issues: readonly Issue[] }> | undefined {
  if (!isRecord(value) || value.kind !== undefined || typeof value.baseDomain !== "string") return undefined;
  const issueAt = (at: YamlPath, found: unknown, problem: Problem) =>
    placedIssue({ kind: "File", name: place.file }, [...path, ...at], place, { ...problem, value: found });
  const unknown = Object.keys(value)
    .filter((field) => /^image|Mirrors$/.test(field) && !listNames.includes(field))
    .map((field) => issueAt([field], ownValue(value, field), dropped(field, listNames)));
  const ofItems = lists.flatMap(({ list, fields }) =>
    listOf(ownValue(value, list)).flatMap((item, index) => {
      const { source, mirrors } = fieldsOf(item);
      const at = [list, index] as const;
      const names = [source, ...listOf(mirrors)].map((name, of) =>
        typeof name === "string" && notNamed.test(name)
          ? issueAt([...at, ...(of === 0 ? ["source"] : ["mirrors", of - 1])], name, refusedName)
          : [],
      );
      return [
        ...Object.entries(isRecord(item) ? item : {})
          .filter(([field]) => !fields.some((known) => known === field))
          .map(([field, found]) => issueAt([...at, field], found, dropped(field, fields))),
        ...names.flat(),
      ];
    }),
  );
  const isBoth = listNames.every((list) => listOf(ownValue(value, list)).length > 0);
  const values = lists.flatMap(({ list, name, fields, ...own }) => {
    // If both lists are given, the items of the older list are checked as items of the newer list.
    const { rules, kind: of } = isBoth ? lists[0] : own;
    const items = ownValue(value, list);
    if (items === undefined || items === null) return [];
    const spec = { [rules]: Array.isArray(items) ? items.map(asRule(fields)) : items };
    const object = { apiVersion: of.apiVersion, kind: of.kind, metadata: { name }, spec };
    return [{ path: [], value: object, moved: { from: `spec.${rules}`, to: [list], name: list } }];
  });
  const refused = isBoth ? [issueAt(["imageContentSources"], value.imageContentSources, together)] : [];
  return { values, issues: [...unknown, ...ofItems, ...refused] };
}

type ReadValue = (value: unknown, path: YamlPath, place: Place) => ReadManifests;

/** Reads the values that are embedded in an object, or in a document of another program, such as an install-config. */
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
    found.sets.map(({ value, rules, tables }): ReadManifests => {
      const positionOf = itemPositions(tables);
      const inner = placeIn(place, place.document, (at) => positionInFile(start, positionOf(at)));
      const read = readValue(value, [], inner);
      const moved = { from: `spec.${rules}`, to: [], name: `data["${path.at(-1)}"].registry` };
      const own = { text: { text, document: 1, start, tables }, moved };
      return { ...read, objects: read.objects.map((located) => ({ ...located, ...own })) };
    }),
  );
}

/** Returns the objects that are embedded in an object; nothing unless `readsEmbedded` is set. */
export function embeddedOf(
  object: KubernetesObject,
  path: YamlPath,
  place: Place,
  readValue: ReadValue,
): Partial<ReadManifests> {
  if (place.readsEmbedded !== true) return {};
  const contents = (isEnforced: boolean): ReadManifests => {
    const { values, leftOut } = embeddedIn(object, isEnforced);
    const read = readEmbedded(values, path, place, readValue);
    const within = issueObject(object);
    const inside = <Located>(located: Located) => ({ ...located, within });
    return joined([
      {
        ...read,
        objects: [],
        embedded: [...read.objects.map(inside), ...(read.embedded ?? [])],
        damaged: (read.damaged ?? []).map(inside),
        ignored: 0,
        // Only the embedded text is unreadable: the issue is about the outer object, not about the file.
        issues: read.issues.map((one) =>
          one.object.kind === "File" ? { ...one, object: within, path: "", value: undefined } : one,
        ),
      },
      { ...unreadable(), unread: leftOut.map((why) => ({ what: displayName(within), why, count: 1 })) },
    ]);
  };
  if (!isInforming(object)) return contents(false);
  return { informing: [{ policy: object, file: place.file, contents }] };
}
