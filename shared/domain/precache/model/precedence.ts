import { byCodeUnit } from "../../json/order.ts";
import { isFinalState, isRunningState } from "./cluster-state.ts";

/** A ClusterGroupUpgrade that wants to pre-cache a cluster, and how far it is there. */
export type Contender = Readonly<{
  namespace: string;
  name: string;
  /** RFC 3339, as the API server writes it: whole seconds, UTC. */
  creationTimestamp: string;
  /** Its state of the cluster; undefined while there is none. */
  state: string | undefined;
}>;

function before(a: Contender, b: Contender): number {
  const started = Number(isRunningState(b.state)) - Number(isRunningState(a.state));
  return (
    started ||
    byCodeUnit(a.creationTimestamp, b.creationTimestamp) ||
    byCodeUnit(a.namespace, b.namespace) ||
    byCodeUnit(a.name, b.name)
  );
}

/**
 * Whose turn it is on a cluster: of those that are not done there the one that has started, else the oldest, else the
 * first by namespace and name. Everybody who looks at the same contenders gets the same answer, and a run that
 * has started is never pushed aside. Undefined when all are done.
 */
export function highestPrecedence(contenders: readonly Contender[]): Contender | undefined {
  return contenders.filter(({ state }) => !isFinalState(state)).sort(before)[0];
}

/** The one that `self` has to wait for on this cluster, or undefined when it may go. `others` may hold `self`. */
export function waitsFor(self: Contender, others: readonly Contender[]): Contender | undefined {
  const isSelf = ({ namespace, name }: Contender) => namespace === self.namespace && name === self.name;
  const first = highestPrecedence([self, ...others.filter((other) => !isSelf(other))]);
  return first && !isSelf(first) ? first : undefined;
}

/** Tells in the reason of a cluster, an Event and a log line for whom it waits. */
export function waitingReason({ namespace, name }: Contender): string {
  return `Waits for ClusterGroupUpgrade/${namespace}/${name}, which pre-caches this cluster first.`;
}
