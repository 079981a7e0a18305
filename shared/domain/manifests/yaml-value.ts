import { isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, Scalar, type YAMLMap } from "yaml";
import { maxNesting } from "../kubernetes/json/nesting.ts";
import { isRecord } from "../kubernetes/json/values.ts";
import { sentence } from "../text/redact.ts";

/** A node that has no JSON counterpart or is not allowed; `offset` is its position in the text. */
export class YamlValueError extends Error {
  override readonly name = "YamlValueError";
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The limit on the total number of values behind a document's aliases; more is an alias bomb. */
const maxAliasedValues = 100_000;

export type YamlOptions = Readonly<{
  /** How to handle a repeated key: as an error (the default), or by its last value, as kubectl does. */
  repeatedKeys?: "refused" | "last counts";
}>;

type Node = ParsedNode | null | undefined;
type ParsedMap = YAMLMap.Parsed<ParsedNode, ParsedNode | null>;
type Anchored = { value: unknown; values: number };

function isMerge(key: Node): boolean {
  return isScalar(key) && key.value === "<<" && (key.type === undefined || key.type === Scalar.PLAIN);
}

/** Returns the key's text after type resolution, as kubectl does: `0x10` is `16` and `on` is `true`. */
function keyText(key: Node, offset: number): string {
  if (isScalar(key) && key.value !== null) return String(key.value);
  const what = isScalar(key) ? "null" : "a collection or an alias";
  throw new YamlValueError(`A key must be a string, this one is ${what}`, key?.range[0] ?? offset);
}

function mergeSources(value: unknown, offset: number): readonly object[] {
  // The first map of a list has precedence, so it comes last.
  const sources: readonly unknown[] = Array.isArray(value) ? value.toReversed() : [value];
  return sources.map((source) => {
    if (isRecord(source)) return source;
    throw new YamlValueError("A merge key << needs a map or a list of maps", offset);
  });
}

/**
 * Converts a parsed YAML tree to a JSON value, in time linear to its size. Merge keys work as in kubectl: they
 * overwrite keys before them. A repeated key is refused, because one of its values would be lost silently (unless
 * `repeatedKeys` allows it). Aliases share the value of their anchor. Throws a `YamlValueError`.
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
