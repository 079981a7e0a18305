import { Document, Scalar, visit } from "yaml";
import { issueObject } from "../issues/issue.ts";
import { nearestName } from "../issues/nearest-name.ts";
import { fieldsOf, isLongerThan, isRecord, listOf } from "../kubernetes/json/values.ts";
import { isKind, isOneOf, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import {
  joined,
  type Origin,
  type Place,
  placeIn,
  type ReadManifests,
  type ReadOptions,
  unreadable,
} from "./located-object.ts";
import {
  displayPath,
  isTemplate,
  maxObjectSize,
  notRead,
  placedIssue,
  syntaxIssue,
  tooLarge,
} from "./manifest-issues.ts";
import { manifestProblems, tryParseManifestObject, tryReadDamagedObject } from "./manifest-object.ts";
import { jsonPositions, largeDocument, linesOf, tryParseJsonStream } from "./positions.ts";
import { embeddedOf, readEmbedded, readInstallConfig } from "./read-embedded.ts";
import {
  below,
  type PositionOf,
  parseYamlDocument,
  YamlDocumentError,
  type YamlPath,
} from "./yaml-document.ts";
import { splitYamlList, splitYamlStream } from "./yaml-stream.ts";
import { kubectlSchema } from "./yaml-value.ts";

const groupOf = (apiVersion: string): string => apiVersion.split("/")[0] ?? "";
const readGroups = new Set(
  Object.values(kinds).flatMap(({ apiVersion }) => (apiVersion.includes(".") ? [groupOf(apiVersion)] : [])),
);
/** The kinds in `readGroups`. Other kinds, such as ConfigMap, can belong to any program. */
const readKinds = new Set(
  Object.values(kinds).flatMap(({ apiVersion, kind }) => (readGroups.has(groupOf(apiVersion)) ? [kind] : [])),
);

function isOfAnotherProgram(value: unknown): boolean {
  const { apiVersion, kind } = fieldsOf(value);
  if (typeof kind !== "string") return false;
  if (typeof apiVersion !== "string") return !readKinds.has(kind);
  const isRead = readKinds.has(kind) || nearestName(kind, [...readKinds]) !== undefined;
  return !readGroups.has(groupOf(apiVersion)) || !isRead;
}

/** Matches the placeholders of Go, Jinja and OpenShift templates, and of shells. */
const placeholder = /\{\{|\{%|\$[\w({]/;
/** Matches placeholders in base64 text. Other texts may be scripts, whose variables look like placeholders. */
const filePlaceholder = /;base64,[^",{$]*(?:\{[{%]|\$)/;

const hasNoPlaceholders = isOneOf([
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
  kinds.ClusterImagePolicy,
  kinds.ImagePolicy,
  kinds.Image,
  kinds.HostedCluster,
  kinds.NodePool,
]);

function isTemplateObject(object: KubernetesObject): boolean {
  const isMachineConfig = isKind(kinds.MachineConfig, object);
  if (!isMachineConfig && !hasNoPlaceholders(object)) return false;
  return (isMachineConfig ? filePlaceholder : placeholder).test(JSON.stringify(object.spec ?? null));
}

/** Helm's Chart.yaml has an apiVersion, but neither kind nor metadata. */
function resemblesObject(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return value.kind !== undefined || (value.apiVersion !== undefined && value.metadata !== undefined);
}

/** API servers omit apiVersion and kind from the items of a typed list. */
function itemOf(list: Readonly<Record<string, unknown>>, item: unknown): unknown {
  const { apiVersion, kind } = list;
  if (!isRecord(item) || item.apiVersion !== undefined || item.kind !== undefined) return item;
  if (typeof kind !== "string" || kind === "List") return item;
  return { apiVersion, kind: kind.slice(0, -"List".length), ...item };
}

const ofTemplate = (file: string): ReadManifests => ({
  objects: [],
  issues: [],
  unread: [{ what: file, why: "template", count: 1 }],
});

function readProblems(value: unknown, path: YamlPath, place: Place): ReadManifests {
  const { file, document, lineOf } = place;
  const object = tryReadDamagedObject(value);
  const problems = manifestProblems(value);
  if (problems.some(({ value: given }) => typeof given === "string" && placeholder.test(given)))
    return ofTemplate(file);
  const found = problems.map((problem) => {
    // The issue names the object even if the object's name is invalid.
    const about = problem.code && object ? object : { kind: "File", name: file };
    const code = problem.code ?? "InvalidManifest";
    const issue = placedIssue(about, [...path, ...problem.path], place, { ...problem, code });
    return { issue, ownPath: displayPath(problem.path) };
  });
  const own = object && {
    object,
    file,
    document,
    line: lineOf(path),
    path,
    issues: found.map(({ issue, ownPath }) => ({ ...issue, object: issueObject(object), path: ownPath })),
  };
  return { objects: [], issues: found.map(({ issue }) => issue), ...(own ? { damaged: [own] } : {}) };
}

function readValue(value: unknown, path: YamlPath, place: Place): ReadManifests {
  const isList = isRecord(value) && typeof value.kind === "string" && value.kind.endsWith("List");
  if (isList && (value.kind === "List" || Array.isArray(value.items))) {
    const items: readonly unknown[] = listOf(value.items);
    return joined(
      items.map((item, index) => readValue(itemOf(value, item), [...path, "items", index], place)),
    );
  }
  try {
    return readOneObject(value, path, place);
  } catch (error) {
    // This error comes from parsing the document again to find a position. The caller reports it.
    if (error instanceof YamlDocumentError) throw error;
    return unreadable(notRead(error, path, place));
  }
}

function readOneObject(value: unknown, path: YamlPath, place: Place): ReadManifests {
  const object = tryParseManifestObject(value);
  if (!object) {
    const ofInstaller = place.readsEmbedded === true ? readInstallConfig(value, path, place) : undefined;
    if (ofInstaller) {
      const { values, issues } = ofInstaller;
      if (values.length === 0) return { objects: [], issues, ignored: 1 };
      const read = joined([unreadable(...issues), readEmbedded(values, path, place, readValue)]);
      return { ...read, objects: read.objects.map((one) => ({ ...one, isOfInstaller: true })) };
    }
    const isStray = place.isInFolder && path.length === 0 && !resemblesObject(value);
    if (isStray || isOfAnotherProgram(value)) return { objects: [], issues: [], ignored: 1 };
    return readProblems(value, path, place);
  }
  if (isLongerThan(object, maxObjectSize)) return { objects: [], issues: [tooLarge(object, path, place)] };
  const { file, document, lineOf } = place;
  if (place.readsEmbedded === true && isTemplateObject(object)) return ofTemplate(file);
  const own = { object, file, document, line: lineOf(path), path };
  return { issues: [], ...embeddedOf(object, path, place, readValue), objects: [own] };
}

function readLargeList(
  text: string,
  origin: Origin & Pick<Place, "sourceLine">,
  document: number,
  line: number,
): ReadManifests | undefined {
  const split = text.length > largeDocument ? splitYamlList(text) : undefined;
  if (!split) return undefined;
  try {
    const { value: list } = parseYamlDocument(split.header);
    if (!isRecord(list) || typeof list.kind !== "string" || !list.kind.endsWith("List")) return undefined;
    return joined(
      split.items.map((piece, index): ReadManifests => {
        const { value, positionOf } = parseYamlDocument(piece.text);
        const item: unknown = Array.isArray(value) ? value[0] : undefined;
        const inFile: PositionOf = ([, , ...path]) =>
          below(positionOf([0, ...path]), line - 1 + piece.line - 1);
        return readValue(itemOf(list, item), ["items", index], placeIn(origin, document, inFile));
      }),
    );
  } catch (error) {
    // The caller then parses the whole document, to find the error's position and to resolve aliases between items.
    if (error instanceof YamlDocumentError) return undefined;
    throw error;
  }
}

function readYaml(text: string, options: Origin): ReadManifests {
  let lines: readonly string[] | undefined;
  const sourceLine = (line: number): string | undefined => {
    lines ??= text.split("\n");
    return lines[line - 1];
  };
  const origin = { ...options, sourceLine };
  const chunks = splitYamlStream(text).filter(({ isEmpty }) => !isEmpty);
  return joined(
    chunks.map((chunk, index): ReadManifests => {
      try {
        const list = readLargeList(chunk.text, origin, index + 1, chunk.line);
        if (list) return list;
        const { value, positionOf } = parseYamlDocument(chunk.text);
        if (value === null) return { objects: [], issues: [] };
        const inFile: PositionOf = (path) => below(positionOf(path), chunk.line - 1);
        return readValue(value, [], placeIn(origin, index + 1, inFile));
      } catch (error) {
        if (!(error instanceof YamlDocumentError)) throw error;
        const position = below(error, chunk.line - 1);
        const named = [...chunk.text.matchAll(/\bkind["']?\s*:\s*["']?(\w*)/g)].map(([, kind = ""]) => kind);
        // An install-config has no kind.
        const isRead =
          /^baseDomain:/m.test(chunk.text) || named.some((kind) => kind === "" || readKinds.has(kind));
        if (origin.isInFolder && isTemplate(chunk.text)) return ofTemplate(origin.file);
        if (origin.isInFolder && !isRead) return { objects: [], issues: [], ignored: 1 };
        return unreadable(syntaxIssue(origin.file, position, error.message, chunk.text));
      }
    }),
  );
}

/**
 * Reads the Kubernetes objects of a YAML or JSON text as kubectl does: all documents, and all items of lists. An
 * invalid document or object becomes issues, and the rest is still read.
 */
export function readManifests(text: string, file: string, options: ReadOptions = {}): ReadManifests {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const json = tryParseJsonStream(source);
  if (!json) return readYaml(source, { ...options, file });
  const lines = linesOf(source);
  return joined(
    json.map(({ value, offset }, index): ReadManifests => {
      const positionOf = jsonPositions(source, offset, lines);
      // Items get the line of their document: their own line would cost a second reading of the whole text.
      const { line } = positionOf([]);
      return readValue(value, [], { ...options, file, document: index + 1, lineOf: () => line, positionOf });
    }),
  );
}

/** Matches characters that YAML readers refuse or drop unless escaped. The YAML library does not escape them. */
const needsEscape = /[\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]/;
const everyEscape = new RegExp(needsEscape, "g");
/** Matches texts that Go's YAML reader misreads in block style. */
const noBlock = /^(?=[ \t\n]).*\n|\n[ \t]+(?:\n|$)/s;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A value that Python's YAML reader refuses unless it is quoted. The YAML library does not quote it. */
const defaultValue = "=";

function needsQuotes(text: string): boolean {
  return text === defaultValue || needsEscape.test(text) || noBlock.test(text);
}

/** Renders any JSON value as one YAML document, by the rules of `writeManifest`. */
export function writeYaml(value: unknown): string {
  const document = new Document(value, {
    ...kubectlSchema,
    compat: "yaml-1.1",
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && needsQuotes(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = document.toString({ lineWidth: 0, indentSeq: false });
  return text.replaceAll(everyEscape, escaped);
}

/** Renders the object as one YAML document, without `---`. Strings that YAML 1.1 would read otherwise are quoted. */
export function writeManifest(object: KubernetesObject): string {
  return writeYaml(object);
}

/** The name of the file with the update graph in a folder of manifests. The file is not a manifest. */
export const updateGraphFile = "update-graph.json";

/** Reports whether a file with this name is read as manifests: YAML or JSON, not hidden, not the update graph. */
export function isManifestFile(name: string): boolean {
  return !name.startsWith(".") && name !== updateGraphFile && /\.(?:ya?ml|json)$/.test(name);
}
