import { byCodeUnit } from "../../kubernetes/json/values.ts";

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

/** A cut in a cycle: `name` was placed before the names in `waitingFor`. */
export type Cut = Readonly<{ name: string; waitingFor: readonly string[] }>;

/**
 * Puts the names of all chains into one order that keeps every chain's own order where possible.
 *
 * Names without a predecessor are placed first in, first out; names that become ready by the same placement are
 * sorted among themselves, never across placements. When every name waits for another, the smallest one that is not
 * placed yet is next, independent of where the cycle started. The result does not depend on the order of `chains`.
 * A name that follows itself waits for itself. Calls `onCut` for each cycle that is cut.
 */
export function placeInOrder(
  chains: readonly (readonly string[])[],
  onCut?: (cut: Cut) => void,
): readonly string[] {
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
    onCut?.({ name: node.name, waitingFor: [...node.before].map(({ name }) => name).sort() });
    place(node);
    placeReady();
  }
  return order;
}
