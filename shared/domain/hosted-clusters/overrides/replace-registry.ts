import { byCodeUnit } from "../../kubernetes/json/values.ts";
import { compareReleases, type Release } from "../../openshift/releases/release.ts";
import { replacesPrefixSince, replacesReleaseSince } from "../facts/hypershift.ts";
import type { RegistryReplacements } from "./registry-overrides-flag.ts";

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

/** Far more than a flag of some ten sources needs. */
const maxSteps = 10_000;
const maxLate = 6;

type Step = Readonly<{ text: string; left: readonly string[] }>;

function subsetsOf([first, ...rest]: readonly string[]): readonly (readonly string[])[] {
  if (first === undefined) return [[]];
  return subsetsOf(rest).flatMap((subset) => [subset, [first, ...subset]]);
}

/**
 * Returns the possible names of a component image, sorted, if every source is replaced wherever it first occurs in the
 * text, one source after the other, in random order.
 */
export function replaceText(image: string, replacements: RegistryReplacements): readonly string[] {
  const results = new Set<string>();
  const seen = new Set<string>();
  const open: Step[] = [{ text: image, left: [...replacements.keys()] }];
  for (let step = open.pop(); step && seen.size < maxSteps; step = open.pop()) {
    const { text, left } = step;
    const id = JSON.stringify(step);
    if (seen.has(id)) continue;
    seen.add(id);
    const matching = left.filter((source) => text.includes(source));
    if (matching.length === 0) results.add(text);
    for (const source of matching) {
      const replaced = text.replace(source, () => replacements.get(source) ?? "");
      const others = left.filter((other) => other !== source);
      // The turn of a source that occurs only now may have been before.
      const late = others.filter((other) => !text.includes(other) && replaced.includes(other));
      for (const over of subsetsOf(late.slice(0, maxLate)))
        open.push({ text: replaced, left: others.filter((other) => !over.includes(other)) });
    }
  }
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
