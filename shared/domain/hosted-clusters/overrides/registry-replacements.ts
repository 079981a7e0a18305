import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import { compareReleases, type Release } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { replacesPrefixSince, replacesReleaseSince } from "../facts/hypershift.ts";

/** The value of `--registry-overrides`: one replacement for each source. */
export type RegistryReplacements = ReadonlyMap<string, string>;

export type DecodedFlag = Readonly<{ replacements: RegistryReplacements } | { error: string }>;

const malformed = (text: string) => sentence`${text} must be formatted as key=value`;

/** Returns the fields of the first record of CSV, by the rules of Go's encoding/csv; undefined for a misplaced quote. */
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
 * Reads the value of `--registry-overrides` as HyperShift's programs do: with exactly one `=` commas belong to the
 * names, else it is one CSV record, and the last target of a repeated source wins. The error is what the program
 * prints before it exits. Behaviour: StringToString of github.com/spf13/pflag.
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

/** Matches whole parts of the path; a colon after a host is a port. */
function startsWithSource(image: string, source: string): boolean {
  if (!image.startsWith(source)) return false;
  const next = image.charAt(source.length);
  return next === "" || next === "/" || next === "@" || (next === ":" && source.includes("/"));
}

/**
 * Returns the name of a release's component image: the longest matching source is replaced once; without a match
 * the name stays. Behaviour: Replace in support/util/registryoverride.
 */
export function replaceRegistry(image: string, replacements: RegistryReplacements): string {
  let longest = "";
  for (const source of replacements.keys())
    if (source.length > longest.length && startsWithSource(image, source)) longest = source;
  return longest === "" ? image : (replacements.get(longest) ?? "") + image.slice(longest.length);
}

/** More sources than flags have: the number of results may double with each. */
const maxSources = 10;

/**
 * Returns the possible names of a component image, sorted, if every source is replaced wherever it first occurs in the
 * text, one source after the other, in random order.
 */
export function replaceText(image: string, replacements: RegistryReplacements): readonly string[] {
  const isIn = (source: string) => Number(image.includes(source));
  const sources = [...replacements.keys()].sort((a, b) => isIn(b) - isIn(a));
  const results = new Set<string>();
  const seen = new Set<string>();
  const replaceNext = (text: string, left: readonly string[]): void => {
    const id = JSON.stringify([text, left]);
    if (seen.has(id)) return;
    seen.add(id);
    if (left.length === 0) results.add(text);
    for (const source of left)
      replaceNext(
        text.replace(source, () => replacements.get(source) ?? ""),
        left.filter((other) => other !== source),
      );
  };
  replaceNext(image, sources.slice(0, maxSources));
  return [...results].sort(byCodeUnit);
}

/** How the control planes of a release apply `--registry-overrides`. */
export type ReplacementRule = Readonly<{
  /** The possible names of a component image, at least one. */
  namesOf: (image: string, replacements: RegistryReplacements) => readonly string[];
  /** The name of the release image itself. */
  releaseName: (image: string, replacements: RegistryReplacements) => string;
}>;

/** Returns the rule of a release; without one, that of HyperShift's main branch. */
export function replacementRule(release: Release | undefined): ReplacementRule {
  const isBefore = (first: Release) => release !== undefined && compareReleases(release, first) < 0;
  return {
    namesOf: isBefore(replacesPrefixSince)
      ? replaceText
      : (image, replacements) => [replaceRegistry(image, replacements)],
    releaseName: isBefore(replacesReleaseSince) ? (image) => image : replaceRegistry,
  };
}
