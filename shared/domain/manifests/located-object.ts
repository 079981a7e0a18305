import type { Unread } from "../issues/coverage.ts";
import type { Issue, IssueObject } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { MovedFields } from "./embedded-objects.ts";
import type { Position, PositionOf, YamlPath } from "./yaml-document.ts";

/** Where a text begins in its file: at the field that holds it or, with `indent`, on the lines below the field. */
type TextStart = Position & Readonly<{ indent?: number }>;

/** A field's text with manifests, the number of one document in it, and where the text begins. */
export type InnerText = Readonly<{
  text: string;
  document: number;
  start: TextStart;
  /** The table of each rule; absent unless the text has the format of registries.conf. */
  tables?: readonly RuleTable[];
}>;

/** A `[[registry]]` table that a rule is made from: its line, its name, and the names of its mirrors. */
export type RuleTable = Readonly<{ line: number; name: string; mirrors: readonly string[] }>;

/** Returns a function that finds the line of a rule's table in a text with the format of registries.conf. */
export function itemPositions(tables: readonly RuleTable[]): PositionOf {
  return ([item]) => ({ line: tables[Number(item)]?.line ?? 1, column: 1 });
}

/** Matches the line of a field with a literal block (`|`). */
const blockHeader = /[:-]\s+(?:[&!]\S+\s+){0,2}\|[-+\d]*\s*(?:#.*)?$/s;

/** Returns where a field's text begins: below the field for a literal block, otherwise at the field's `position`. */
export function startOfText(
  position: Position,
  sourceLine: (line: number) => string | undefined = () => undefined,
): TextStart {
  const isBlock = blockHeader.test(sourceLine(position.line) ?? "");
  if (!isBlock) return position;
  let line = position.line + 1;
  while (sourceLine(line)?.trim() === "") line++;
  const [blanks = ""] = /^ */.exec(sourceLine(line) ?? "") ?? [];
  return { ...position, indent: blanks.length };
}

/** Converts a position in a text to a position in the file. */
export function positionInFile({ line, column, indent }: TextStart, position: Position): Position {
  return indent === undefined
    ? { line, column }
    : { line: line + position.line, column: indent + position.column };
}

/** An object and its position: file, document (from 1, empty ones not counted) and line. */
export type LocatedObject = Readonly<{
  object: KubernetesObject;
  file: string;
  document: number;
  line: number;
  /** The path within the document: empty, or `["items", 3]` in a list. If `text` is set, the path within the text. */
  path: YamlPath;
  /** Set for a derived object: its fields at `from` are at `to` in the document. */
  moved?: MovedFields;
  /** Set if the object is in the text of a field. */
  text?: InnerText;
  /** The object that contains this object in a field or a text. */
  within?: IssueObject;
  /** Set if only nodes of a hosted cluster get the object: a NodePool names the ConfigMap that holds it. */
  isOfNodePool?: true;
  /** Set if the installer makes the object from an install-config, for the new cluster only. */
  isOfInstaller?: true;
}>;

/** The readable part of an invalid object, and its issues, whose paths start at the object. */
export type DamagedObject = LocatedObject & Readonly<{ issues: readonly Issue[] }>;

/** An OCM Policy that does not enforce its contents by itself. */
export type InformingPolicy = Readonly<{
  policy: KubernetesObject;
  file: string;
  /** Reads the policy's contents. `isEnforced` is true if another object enforces the policy. */
  contents(isEnforced: boolean): ReadManifests;
}>;

export type ReadManifests = Readonly<{
  objects: readonly LocatedObject[];
  issues: readonly Issue[];
  /** Invalid values of known kinds, which `objects` omits. Absent if there are none. */
  damaged?: readonly DamagedObject[];
  /** The number of documents that are not objects of a hub; the lists omit them. Absent if there are none. */
  ignored?: number;
  /** Embedded objects that clusters get; they are read only if `readsEmbedded` is set. Absent if there are none. */
  embedded?: readonly LocatedObject[];
  /** Objects whose embedded objects decide where nodes pull images from but were not read. Absent if there are none. */
  unread?: readonly Unread[];
  /** Policies that another object may enforce; no list has their contents yet. Absent if there are none. */
  informing?: readonly InformingPolicy[];
}>;

/** A mirror set (`value`) made from a text like registries.conf, with the path of its rules and each rule's table. */
export type MadeMirrorSet = Readonly<{ value: unknown; rules: string; tables: readonly RuleTable[] }>;

/** Returns the mirror sets made from a text; if the text is not TOML, the problem and its line. */
export type RegistriesConfReader = (
  text: string,
) => Readonly<{ sets: readonly MadeMirrorSet[] } | { problem: string; line: number }>;

export type ReadOptions = Readonly<{
  /** True if the file was found in a folder, where files of other programs are expected. */
  isInFolder?: boolean;
  /** True if objects embedded in policies, ManifestWorks and ConfigMaps are read as well. */
  readsEmbedded?: boolean;
  /** Reads mirrors in the format of registries.conf; passed in, so that deployed functions include no TOML parser. */
  readRegistriesConf?: RegistriesConfReader;
}>;

/** The file of a document, and its read options. */
export type Origin = ReadOptions & Readonly<{ file: string }>;

/** The file and document of a value, with functions that find positions in the document. */
export type Place = Origin &
  Readonly<{
    document: number;
    lineOf(path: YamlPath): number;
    positionOf: PositionOf;
    /** Returns the text of one line of the file. Absent for a value that is not YAML. */
    sourceLine?: (line: number) => string | undefined;
  }>;

/** Returns a `Place` for the values of a document, with `lineOf` and `positionOf` of that document. */
export const placeIn = (
  origin: Origin & Pick<Place, "sourceLine">,
  document: number,
  positionOf: PositionOf,
): Place => ({
  ...origin,
  document,
  lineOf: (path) => positionOf(path).line,
  positionOf,
});

/** Combines the results of several reads. */
export function joined(parts: readonly ReadManifests[]): ReadManifests {
  const all = (name: "damaged" | "embedded" | "unread" | "informing"): Partial<ReadManifests> => {
    const found = parts.flatMap((part): readonly unknown[] => part[name] ?? []);
    return found.length > 0 ? { [name]: found } : {};
  };
  const ignored = parts.reduce((sum, part) => sum + (part.ignored ?? 0), 0);
  return {
    objects: parts.flatMap(({ objects }) => objects),
    issues: parts.flatMap(({ issues }) => issues),
    ...all("damaged"),
    ...(ignored > 0 ? { ignored } : {}),
    ...all("embedded"),
    ...all("unread"),
    ...all("informing"),
  };
}

/** Returns the result for unreadable input: only issues. */
export function unreadable(...issues: readonly Issue[]): ReadManifests {
  return { objects: [], issues };
}
