import type { Unread } from "../issues/coverage.ts";
import type { Issue, IssueObject } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { MovedFields } from "./embedded-objects.ts";
import type { Position, PositionOf, YamlPath } from "./yaml-document.ts";

/** The position of a field with a text. If the text begins on a later line, `indent` is its indentation. */
type TextStart = Position & Readonly<{ indent?: number }>;

/** One document in the text of a field: the text, the number of the document, and where the text starts in the file. */
export type InnerText = Readonly<{
  text: string;
  document: number;
  start: TextStart;
  /** For a text in the format of registries.conf, the tables from which rules are made. Absent for any other text. */
  tables?: readonly RuleTable[];
}>;

/** A `[[registry]]` table of a rule: its line in the text, its path for messages (`[0]`), and its mirrors' paths. */
export type RuleTable = Readonly<{ line: number; name: string; mirrors: readonly string[] }>;

/** Returns a function that returns the position of the table whose index is the first step of a path. */
export function itemPositions(tables: readonly RuleTable[]): PositionOf {
  return ([item]) => ({ line: tables[Number(item)]?.line ?? 1, column: 1 });
}

const blockHeader = /[:-]\s+(?:[&!]\S+\s+){0,2}\|[-+\d]*\s*(?:#.*)?$/s;

/** Returns where the text of the field at `position` starts. A block (`|`) starts on the line below the field. */
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

/** Converts a position in a text to one in the file. A text on the line of its field has the field's position. */
export function positionInFile({ line, column, indent }: TextStart, position: Position): Position {
  return indent === undefined
    ? { line, column }
    : { line: line + position.line, column: indent + position.column };
}

/** An object with its file, its line, and the number of its document (from 1; empty documents do not count). */
export type LocatedObject = Readonly<{
  object: KubernetesObject;
  file: string;
  document: number;
  line: number;
  /** The path of the object within its document or, if `text` is set, within that text. Empty for a whole document. */
  path: YamlPath;
  /** Set if hubrelay derives the object from fields of the document. */
  moved?: MovedFields;
  text?: InnerText;
  /** The object that contains this object in a field or a text. */
  within?: IssueObject;
  /** Set if the object is in a ConfigMap that a NodePool names. Only nodes of a hosted cluster get such an object. */
  isOfNodePool?: true;
  /** Set if the installer makes the object from an install-config. Only the new cluster gets such an object. */
  isOfInstaller?: true;
}>;

/** The readable part of an invalid object, and the object's issues. The paths of these issues start at the object. */
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
  /** Invalid objects, which `objects` omits. Absent if there are none. */
  damaged?: readonly DamagedObject[];
  /** The number of documents that are not objects of a hub. Absent if there are none. */
  ignored?: number;
  /** Objects that are embedded in other objects. Absent if there are none, or if `readsEmbedded` is not set. */
  embedded?: readonly LocatedObject[];
  /** What was not read, although it may decide where nodes pull images from. Absent if there is no such thing. */
  unread?: readonly Unread[];
  /** Policies that another object may enforce. Their contents are not in the lists above. Absent if there are none. */
  informing?: readonly InformingPolicy[];
}>;

/** A mirror set made from a registries.conf text. `rules` is the field of `spec` that has the rules. */
export type MadeMirrorSet = Readonly<{ value: unknown; rules: string; tables: readonly RuleTable[] }>;

/** Converts a registries.conf text to mirror sets. If the text is not TOML, returns the problem and its line. */
export type RegistriesConfReader = (
  text: string,
) => Readonly<{ sets: readonly MadeMirrorSet[] } | { problem: string; line: number }>;

export type ReadOptions = Readonly<{
  /** True if the file was found in a folder: files of other programs are then ignored, not reported. */
  isInFolder?: boolean;
  readsEmbedded?: boolean;
  /** Reads registries.conf texts. It is passed in, so that deployed functions include no TOML parser. */
  readRegistriesConf?: RegistriesConfReader;
}>;

/** The file of a document, and the options for reading it. */
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

/** Returns the `Place` of a document's values. */
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

/** Combines the results of several reads into one result. */
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

/** Returns a result with only these issues, for input that cannot be read. */
export function unreadable(...issues: readonly Issue[]): ReadManifests {
  return { objects: [], issues };
}
