import { byCodeUnit } from "../../kubernetes/json/values.ts";
import { hasRepeats, type MirrorRule, neverContactSource } from "../input/rules.ts";

type Node = { readonly name: string; readonly before: Set<Node>; readonly after: Set<Node>; placed: boolean };

/** An edge from each name of a chain to the next; equal edges count once. */
function buildGraph(chains: readonly (readonly string[])[]): readonly Node[] {
  const nodes = new Map<string, Node>();
  const nodeOf = (name: string): Node => {
    const known = nodes.get(name);
    if (known) return known;
    const node: Node = { name, before: new Set(), after: new Set(), placed: false };
    nodes.set(name, node);
    return node;
  };
  for (const chain of chains) {
    let previous: Node | undefined;
    for (const name of chain) {
      const node = nodeOf(name);
      if (previous) {
        previous.after.add(node);
        node.before.add(previous);
      }
      previous = node;
    }
  }
  return [...nodes.values()].sort((a, b) => byCodeUnit(a.name, b.name));
}

/**
 * Puts the names of all chains into one order that keeps every chain's own order where possible.
 *
 * Names without a predecessor are placed first in, first out; names that become ready by the same placement are sorted among
 * themselves, never across placements. When every name waits for another, the smallest unplaced one is next, independent of
 * where the cycle started. The result does not depend on the order of `chains`. A name that follows itself waits for itself.
 */
export function placeInOrder(chains: readonly (readonly string[])[]): readonly string[] {
  const nodes = buildGraph(chains);
  const ready = nodes.filter(({ before }) => before.size === 0);
  const order: string[] = [];

  const place = (node: Node): void => {
    node.placed = true;
    order.push(node.name);
    const freed: Node[] = [];
    for (const next of node.after) {
      next.before.delete(node);
      if (next.before.size === 0 && !next.placed) freed.push(next);
    }
    freed.sort((a, b) => byCodeUnit(a.name, b.name));
    for (const next of freed) ready.push(next);
  };

  let nextReady = 0;
  const placeReady = (): void => {
    for (let node = ready[nextReady]; node; node = ready[nextReady]) {
      nextReady++;
      place(node);
    }
  };

  placeReady();
  for (const node of nodes) {
    if (node.placed) continue;
    place(node);
    placeReady();
  }
  return order;
}

/** All mirrors of one source for one kind of pull, in the order of trying. */
export type MergedMirrors = Readonly<{
  source: string;
  mirrors: readonly string[];
  /** True if the source itself must never be contacted. */
  neverContact: boolean;
  /** The merged rules, in input order. */
  rules: readonly MirrorRule[];
}>;

type MergeableRule = Pick<MirrorRule, "source" | "mirrors">;

/** Reports whether the rule has a mirror other than its source; a rule without one has no effect. */
export function hasRealMirror({ source, mirrors }: MergeableRule): boolean {
  for (const mirror of mirrors) if (mirror !== source) return true;
  return false;
}

/** Returns the rules' lists of mirrors, with the source appended to each list that lacks it. */
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
  // A pull tries the source last anyway; at any other position the source stays in the list as one of its own mirrors.
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
  // Sorted last, because neighbours in the input are neighbours in memory.
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
