import {
  type DocumentOptions,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type ParsedNode,
  Scalar,
  type ScalarTag,
  type SchemaOptions,
  type YAMLMap,
} from "yaml";
import { maxNesting } from "../kubernetes/json/nesting.ts";
import { isRecord } from "../kubernetes/json/values.ts";
import { sentence } from "../text/redact.ts";

const prefix = "tag:yaml.org,2002:";
const radixOf = { x: 16, o: 8, b: 2 } as const;

/** Parses an integer as Go's `strconv.ParseInt(text, 0, 64)` does: `0x1F`, `0b11`, `0o17`, `017`, `1_000`. */
function readInteger(text: string): number {
  const plain = text.replaceAll("_", "");
  const sign = plain.startsWith("-") ? -1 : 1;
  const digits = plain.replace(/^[-+]/, "");
  const letter = digits[1]?.toLowerCase();
  if (letter === "x" || letter === "o" || letter === "b")
    return sign * Number.parseInt(digits.slice(2), radixOf[letter]);
  const isOctal = /^0[0-7]+$/.test(digits);
  return sign * Number.parseInt(digits, isOctal ? 8 : 10) || 0;
}

const nullTag: ScalarTag = {
  tag: `${prefix}null`,
  default: true,
  test: /^(?:~|null|Null|NULL)?$/,
  identify: (value) => value === null || value === undefined,
  createNode: () => new Scalar(null),
  resolve: () => new Scalar(null),
  stringify: () => "null",
};

const boolTag: ScalarTag = {
  tag: `${prefix}bool`,
  default: true,
  test: /^(?:[yYnN]|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/,
  identify: (value) => typeof value === "boolean",
  resolve: (text) => /^(?:y|yes|true|on)$/i.test(text),
  stringify: ({ value }) => String(value),
};

const intTag: ScalarTag = {
  tag: `${prefix}int`,
  default: true,
  // Go reads digits with a leading zero and an 8 or 9 as a float, so `floatTag` matches them.
  test: /^(?:[-+]_*)?(?:[1-9][0-9_]*|0[0-7_]*|0_*[xX]_*[0-9a-fA-F][0-9a-fA-F_]*|0_*[oO]_*[0-7][0-7_]*|0_*[bB]_*[01][01_]*)$/,
  identify: (value) => Number.isInteger(value),
  resolve: (text) => readInteger(text),
  stringify: ({ value }) => String(value),
};

const floatTag: ScalarTag = {
  tag: `${prefix}float`,
  default: true,
  test: /^(?:(?:[-+]_*)?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE]_*(?:[-+]_*)?[0-9][0-9_]*)?|[-+]_*\._*[0-9][0-9_]*(?:[eE]_*(?:[-+]_*)?[0-9][0-9_]*)?|\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  identify: (value) => typeof value === "number",
  resolve(text) {
    if (/nan$/i.test(text)) return Number.NaN;
    if (/inf$/i.test(text)) return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const value = Number(text.replaceAll("_", ""));
    return Number.isFinite(value) ? value : text; // Go leaves what overflows a float as a string
  },
  stringify: ({ value }) => String(value),
};

const binaryTag: ScalarTag = {
  tag: `${prefix}binary`,
  default: false,
  resolve: (text) =>
    new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0))),
};

/** Makes the YAML library quote the key `<<` on output. When a text is read, `yamlValue` handles merge keys. */
const mergeTag: ScalarTag = {
  tag: `${prefix}merge`,
  default: "key",
  test: /^<<$/,
  resolve: (text) => text,
};

/**
 * Makes the YAML library read plain scalars as kubectl does (sigs.k8s.io/yaml 1.6): `y` and `On` are `true`, `017` is
 * 15; there are no dates and no base-60 numbers.
 */
export const kubectlSchema: DocumentOptions & SchemaOptions = {
  version: "1.2",
  schema: "failsafe",
  resolveKnownTags: false,
  customTags: [nullTag, boolTag, intTag, floatTag, binaryTag, mergeTag],
};

/** The error about a part of a YAML text, at `offset`, that is not allowed or has no JSON counterpart. */
export class YamlValueError extends Error {
  override readonly name = "YamlValueError";
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The maximum number of values that all aliases of a document may repeat. More could fill the memory. */
const maxAliasedValues = 100_000;

export type YamlOptions = Readonly<{
  /** How to handle a repeated key: refuse it (the default), or use its last value, as kubectl does. */
  repeatedKeys?: "refused" | "last counts";
}>;

type Node = ParsedNode | null | undefined;
type ParsedMap = YAMLMap.Parsed<ParsedNode, ParsedNode | null>;
type Anchored = { value: unknown; values: number };

function isMerge(key: Node): boolean {
  return isScalar(key) && key.value === "<<" && (key.type === undefined || key.type === Scalar.PLAIN);
}

/** Returns a key as kubectl reads it: `0x10` becomes `16`, and `on` becomes `true`. */
function keyText(key: Node, offset: number): string {
  if (isScalar(key) && key.value !== null) return String(key.value);
  const what = isScalar(key) ? "null" : "a collection or an alias";
  throw new YamlValueError(`A key must be a string, this one is ${what}`, key?.range[0] ?? offset);
}

function mergeSources(value: unknown, offset: number): readonly object[] {
  // The first map of a list of maps has precedence: here it comes last and overwrites the keys of the others.
  const sources: readonly unknown[] = Array.isArray(value) ? value.toReversed() : [value];
  return sources.map((source) => {
    if (isRecord(source)) return source;
    throw new YamlValueError("A merge key << needs a map or a list of maps", offset);
  });
}

/**
 * Converts a YAML tree to a JSON value, or throws a `YamlValueError`. A merge key (`<<`) overwrites earlier keys, as in
 * kubectl. Aliases share the value of their anchor.
 */
export function yamlValue(root: Node, { repeatedKeys = "refused" }: YamlOptions = {}): unknown {
  const anchors = new Map<string, Anchored | "open">();
  let values = 0;
  let aliasedValues = 0;

  function alias(name: string, offset: number): unknown {
    const anchored = anchors.get(name);
    if (!anchored) throw new YamlValueError(sentence`There is no anchor &${name} before this alias`, offset);
    if (anchored === "open") throw new YamlValueError(sentence`The anchor &${name} contains itself`, offset);
    values += anchored.values;
    aliasedValues += anchored.values;
    if (aliasedValues > maxAliasedValues)
      throw new YamlValueError(`The aliases add up to more than ${maxAliasedValues} values`, offset);
    return anchored.value;
  }

  function pair(
    { key, value }: Pair<ParsedNode, ParsedNode | null>,
    into: Map<string, unknown>,
    given: Set<string>,
    depth: number,
  ): void {
    const offset = key.range[0];
    if (isMerge(key)) {
      for (const source of mergeSources(convert(value, depth), offset))
        for (const [name, merged] of Object.entries(source)) into.set(name, merged);
      return;
    }
    const name = keyText(key, offset);
    if (given.has(name) && repeatedKeys === "refused")
      throw new YamlValueError(sentence`The key ${JSON.stringify(name)} is given twice`, offset);
    given.add(name);
    into.set(name, convert(value, depth));
  }

  function map({ items }: ParsedMap, depth: number): unknown {
    const entries = new Map<string, unknown>();
    const given = new Set<string>();
    for (const item of items) pair(item, entries, given, depth + 1);
    return Object.fromEntries(entries);
  }

  function plain(node: Node, depth: number): unknown {
    if (isMap<ParsedNode, ParsedNode | null>(node)) return map(node, depth);
    if (isSeq<ParsedNode>(node)) return node.items.map((item) => convert(item, depth + 1));
    if (!isScalar(node)) return null;
    if (typeof node.value === "number" && !Number.isFinite(node.value))
      throw new YamlValueError(sentence`${node.source} is not a JSON number`, node.range?.[0] ?? 0);
    return node.value;
  }

  function convert(node: Node, depth: number): unknown {
    const offset = node?.range[0] ?? 0;
    if (depth > maxNesting) throw new YamlValueError("The content is nested too deeply", offset);
    if (isAlias(node)) return alias(node.source, offset);
    const before = values++;
    const anchor = node?.anchor;
    if (anchor) anchors.set(anchor, "open");
    const value = plain(node, depth);
    if (anchor) anchors.set(anchor, { value, values: values - before });
    return value;
  }

  return convert(root, 0);
}
