import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { sentence } from "../../text/redact.ts";

/** The value of `--registry-overrides`: one replacement for each source. */
export type RegistryReplacements = ReadonlyMap<string, string>;

export type DecodedFlag = Readonly<{ replacements: RegistryReplacements } | { error: string }>;

const malformed = (text: string) => sentence`${text} must be formatted as key=value`;

/** Follows the rules of Go's encoding/csv; undefined for a misplaced quote. */
function csvFields(text: string): readonly string[] | undefined {
  const lines = text.replaceAll("\r\n", "\n").replace(/\r$/, "").replace(/^\n+/, "");
  const field = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/y;
  const fields: string[] = [];
  for (;;) {
    const [, quoted, plain = "", end] = field.exec(lines) ?? [];
    if (end === undefined) return undefined;
    fields.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ",") return fields;
  }
}

function pairsOf(text: string): Readonly<{ pairs: readonly string[] } | { error: string }> {
  const equals = text.split("=").length - 1;
  if (equals === 0) return { error: malformed(text) };
  if (equals === 1) return { pairs: [text.replace(/^"+|(?<!")"+$/g, "")] };
  const pairs = csvFields(text);
  return pairs ? { pairs } : { error: 'parse error: a " inside of a field, or none at its end' };
}

/**
 * Reads the value of `--registry-overrides` as HyperShift's programs do: with exactly one `=` commas belong to the names;
 * otherwise it is one CSV record, in which the last target of a repeated source wins. The error is the message with which
 * the program exits. Behaviour: StringToString of github.com/spf13/pflag.
 */
export function decodeReplacementsLikeHypershift(text: string): DecodedFlag {
  const invalid = (why: string) => ({
    error: sentence`invalid argument ${goQuote(text)} for "--registry-overrides" flag: ${why}`,
  });
  const read = pairsOf(text);
  if ("error" in read) return invalid(read.error);
  const replacements = new Map<string, string>();
  for (const pair of read.pairs) {
    const equals = pair.indexOf("=");
    if (equals < 0) return invalid(malformed(pair));
    replacements.set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return { replacements };
}

/** Matches whole parts of the path; a colon after a host begins a port. */
function startsWithSource(image: string, source: string): boolean {
  if (!image.startsWith(source)) return false;
  const next = image.charAt(source.length);
  return next === "" || next === "/" || next === "@" || (next === ":" && source.includes("/"));
}

/**
 * Returns the name of a release's component image after the longest matching source is replaced once; unchanged without a
 * match. Behaviour: Replace in support/util/registryoverride.
 */
export function replaceRegistry(image: string, replacements: RegistryReplacements): string {
  let longest = "";
  for (const source of replacements.keys())
    if (source.length > longest.length && startsWithSource(image, source)) longest = source;
  return longest === "" ? image : (replacements.get(longest) ?? "") + image.slice(longest.length);
}
