import { hasRepeats } from "../input/repeats.ts";
import { type MirrorRule, neverContactSource } from "../input/rules.ts";
import { placeInOrder } from "./topology.ts";

/** All mirrors of one source for one kind of pull, first tried first. */
export type MergedMirrors = Readonly<{
  source: string;
  mirrors: readonly string[];
  /** The source itself must never be contacted. */
  neverContact: boolean;
  /** The rules that were merged, in the order they were given. */
  rules: readonly MirrorRule[];
}>;

type MergeableRule = Pick<MirrorRule, "source" | "mirrors">;

/** A rule without a mirror other than its source makes no difference. */
export function hasRealMirror({ source, mirrors }: MergeableRule): boolean {
  for (const mirror of mirrors) if (mirror !== source) return true;
  return false;
}

/** The rules' lists with the source as the last resort of each one that does not place it itself. */
export function chainsOf(rules: readonly MergeableRule[]): readonly (readonly string[])[] {
  return rules.map(({ source, mirrors }) => (mirrors.includes(source) ? mirrors : [...mirrors, source]));
}

function mergeMirrors(source: string, rules: readonly MergeableRule[]): readonly string[] {
  const [first] = rules;
  // One list without repeats is its own order; nearly every source is of that kind.
  const alone = rules.length === 1 && first && !hasRepeats(first.mirrors);
  const order = alone ? first.mirrors : placeInOrder(chainsOf(rules));
  // A pull tries the source last anyway; anywhere else it stays in the list as one of its own mirrors.
  return order.at(-1) === source ? order.slice(0, -1) : order;
}

/**
 * Folds all rules of one kind of pull into one list of mirrors a source, sorted by source.
 *
 * Each rule's own order is kept where the rules do not contradict each other (`placeInOrder` has the rest), and
 * the answer does not depend on the order of the rules. A rule without a mirror other than its source is
 * dropped, its policy with it. One `NeverContactSource` among the rest is enough to forbid the source.
 * Behaviour: mirror merging of openshift/runtime-utils, which machine-config-operator renders with.
 */
export function mergeRules(rules: readonly MirrorRule[]): readonly MergedMirrors[] {
  const bySource = new Map<string, MirrorRule[]>();
  for (const rule of rules) {
    if (!hasRealMirror(rule)) continue;
    const group = bySource.get(rule.source);
    if (group) group.push(rule);
    else bySource.set(rule.source, [rule]);
  }
  // Plain strings are sorted faster than objects by one of their fields.
  return [...bySource.keys()].sort().map((source) => {
    const group = bySource.get(source) ?? [];
    return {
      source,
      mirrors: mergeMirrors(source, group),
      neverContact: group.some(({ policy }) => policy === neverContactSource),
      rules: group,
    };
  });
}
