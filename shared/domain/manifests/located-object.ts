import type { Unread } from "../issues/coverage.ts";
import type { Issue, IssueObject } from "../issues/issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { mirrorSetsOf } from "./assisted-mirrors.ts";
import type { MovedFields } from "./embedded-objects.ts";
import type { Position, PositionOf, YamlPath } from "./yaml-document.ts";

/** Where a text begins in its file: at the field that holds it or, with an indent, on the lines after that. */
type TextStart = Position & Readonly<{ indent?: number }>;

/** A text with manifests in a field, which of its documents is meant, and where it begins. */
export type InnerText = Readonly<{
  text: string;
  document: number;
  start: TextStart;
  /** The lines of its items, where the text is not YAML. */
  lines?: readonly number[];
}>;

/** Returns the positions in a text of which only the lines of its items are known. */
export function itemPositions(lines: readonly number[]): PositionOf {
  return ([item]) => ({ line: lines[Number(item)] ?? 1, column: 1 });
}

/** Matches the line of a field whose text follows as it is. */
const blockHeader = /[:-]\s+(?:[&!]\S+\s+){0,2}\|[-+\d]*\s*(?:#.*)?$/s;

/** Returns where the text of the field at this position begins. Only in a block of YAML its lines are those of the file. */
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

/** Returns the position in the file of a position in the text. */
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
  /** The path within the document: empty, or `["items", 3]` in a list. With `text`, the path within that. */
  path: YamlPath;
  /** The fields of an object that hubrelay made of others are elsewhere below `path`. */
  moved?: MovedFields;
  /** The object is in a text that a field holds. */
  text?: InnerText;
  /** The object that holds it, in a field or a text. */
  within?: IssueObject;
  /** Only nodes of a hosted cluster have it: a NodePool names the ConfigMap that holds it. */
  isOfNodePool?: true;
  /** The installer makes it of an install-config, for a cluster of its own. */
  isOfInstaller?: true;
}>;

/** The readable part of an invalid object, and its issues, with paths in the object. */
export type DamagedObject = LocatedObject & Readonly<{ issues: readonly Issue[] }>;

/** A policy that does not enforce what it holds. */
export type InformingPolicy = Readonly<{
  policy: KubernetesObject;
  file: string;
  /** Reads what it holds, which another object may have enforced. */
  contents(isEnforced: boolean): ReadManifests;
}>;

export type ReadManifests = Readonly<{
  objects: readonly LocatedObject[];
  issues: readonly Issue[];
  /** Invalid values whose kind is known; they are not among the objects. Absent without any. */
  damaged?: readonly DamagedObject[];
  /** The number of documents that are no object of a hub; they are in no other list. Absent without any. */
  ignored?: number;
  /** Objects that others hold and that are applied to clusters (`readsEmbedded`). Absent without any. */
  embedded?: readonly LocatedObject[];
  /** Objects that hold others which decide where nodes pull images from, and are not read. Absent without any. */
  unread?: readonly Unread[];
  /** Policies whose contents are in no other list, until it is known who enforces them. Absent without any. */
  informing?: readonly InformingPolicy[];
}>;

export type ReadOptions = Readonly<{
  /** The file was found in a folder, where files of other programs are to be expected. */
  isInFolder?: boolean;
  /** Objects in policies, works and ConfigMaps are read as well. */
  readsEmbedded?: boolean;
  /** Reads mirrors in the form of registries.conf. Passed in, so that functions carry no reader of TOML. */
  readRegistriesConf?: typeof mirrorSetsOf;
}>;

/** The file of a document, and how it is read. */
export type Origin = ReadOptions & Readonly<{ file: string }>;

/** Where a value is. */
export type Place = Origin &
  Readonly<{
    document: number;
    lineOf(path: YamlPath): number;
    positionOf: PositionOf;
    /** The text of a line of the file, where the value is YAML. */
    sourceLine?: (line: number) => string | undefined;
  }>;

/** Returns the place of a document. */
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

/** Returns several results as one. */
export function joined(parts: readonly ReadManifests[]): ReadManifests {
  const damaged = parts.flatMap((part) => part.damaged ?? []);
  const embedded = parts.flatMap((part) => part.embedded ?? []);
  const unread = parts.flatMap((part) => part.unread ?? []);
  const informing = parts.flatMap((part) => part.informing ?? []);
  const ignored = parts.reduce((sum, part) => sum + (part.ignored ?? 0), 0);
  return {
    objects: parts.flatMap(({ objects }) => objects),
    issues: parts.flatMap(({ issues }) => issues),
    ...(damaged.length > 0 ? { damaged } : {}),
    ...(ignored > 0 ? { ignored } : {}),
    ...(embedded.length > 0 ? { embedded } : {}),
    ...(unread.length > 0 ? { unread } : {}),
    ...(informing.length > 0 ? { informing } : {}),
  };
}

/** Returns the result of what cannot be read. */
export function unreadable(...issues: readonly Issue[]): ReadManifests {
  return { objects: [], issues };
}
