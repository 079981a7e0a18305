import { hasRepeats, type MirrorRule, neverContactSource } from "../input/rules.ts";
import { placeInOrder } from "./mirror-order.ts";

/** All mirrors of one source for one kind of pull, in the order of trying. */
export type MergedMirrors = Readonly<{
  source: string;
  mirrors: readonly string[];
  /** The source itself must never be contacted. */
  neverContact: boolean;
  /** The merged rules, in input order. */
  rules: readonly MirrorRule[];
}>;

type MergeableRule = Pick<MirrorRule, "source" | "mirrors">;

/** Reports whether the rule has a mirror other than its source; without one it has no effect. */
export function hasRealMirror({ source, mirrors }: MergeableRule): boolean {
  for (const mirror of mirrors) if (mirror !== source) return true;
  return false;
}

/** Returns the rules' lists, with the source at the end of each one that does not contain it. */
export function chainsOf(rules: readonly MergeableRule[]): readonly (readonly string[])[] {
  return rules.map(({ source, mirrors }) => (mirrors.includes(source) ? mirrors : [...mirrors, source]));
}

function forbidsSource({ policy }: MirrorRule): boolean {
  return policy === neverContactSource;
}

function mergeMirrors(source: string, rules: readonly MergeableRule[]): readonly string[] {
  const [first] = rules;
  // Shortcut for nearly every source: one list without repeats is its own order.
  const alone = rules.length === 1 && first && !hasRepeats(first.mirrors);
  const order = alone ? first.mirrors : placeInOrder(chainsOf(rules));
  // A pull tries the source last anyway; at any other position it stays in the list as one of its own mirrors.
  return order.at(-1) === source ? order.slice(0, -1) : order;
}

/**
 * Merges all rules of one kind of pull into one list of mirrors per source, sorted by source.
 *
 * Each rule's own order is kept where the rules do not contradict each other (otherwise see `placeInOrder`), and
 * the result does not depend on the order of the rules. A rule without a mirror other than its source is dropped
 * together with its policy. One `NeverContactSource` among the others forbids contacting the source. Behaviour:
 * mirror merging of openshift/runtime-utils, which machine-config-operator renders with.
 */
export function mergeRules(rules: readonly MirrorRule[]): readonly MergedMirrors[] {
  const rulesOf = new Map<string, MirrorRule[]>();
  for (const rule of rules) {
    if (!hasRealMirror(rule)) continue;
    const group = rulesOf.get(rule.source);
    if (group) group.push(rule);
    else rulesOf.set(rule.source, [rule]);
  }
  // Sorted last: the objects of neighbours in the input are neighbours in memory.
  const merged: MergedMirrors[] = [];
  rulesOf.forEach((group, source) => {
    merged.push({
      source,
      mirrors: mergeMirrors(source, group),
      neverContact: group.some(forbidsSource),
      rules: group,
    });
  });
  return merged.sort((a, b) => (a.source < b.source ? -1 : 1));
}
