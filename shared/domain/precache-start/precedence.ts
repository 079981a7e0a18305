import { byCodeUnit } from "../kubernetes/json/values.ts";
import { isFinalState, isRunningState } from "../precache-model/cluster-state.ts";
import { sentence } from "../text/redact.ts";

/** A ClusterGroupUpgrade that wants to pre-cache a cluster, and its progress there. */
export type Contender = Readonly<{
  namespace: string;
  name: string;
  /** RFC 3339 in whole seconds and UTC, as the API server writes it. */
  creationTimestamp: string;
  /** The cluster's state in it; undefined before it starts. */
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
 * Returns the contender that goes first on a cluster: of those that are not done there, the one that has started,
 * otherwise the oldest, otherwise the first by namespace and name. Every process gets the same result for the same
 * contenders, and a run that has started is never displaced. Undefined when all are done.
 */
export function highestPrecedence(contenders: readonly Contender[]): Contender | undefined {
  return contenders.filter(({ state }) => !isFinalState(state)).sort(before)[0];
}

/** Returns the contender that `self` has to wait for on this cluster, if any. `others` may contain `self`. */
export function waitsFor(self: Contender, others: readonly Contender[]): Contender | undefined {
  const isSelf = ({ namespace, name }: Contender) => namespace === self.namespace && name === self.name;
  const first = highestPrecedence([self, ...others.filter((other) => !isSelf(other))]);
  return first && !isSelf(first) ? first : undefined;
}

/** Returns the reason of a waiting cluster, for its plan, an Event and the log. */
export function waitingReason({ namespace, name }: Contender): string {
  return sentence`Waits for ClusterGroupUpgrade/${namespace}/${name}, which pre-caches this cluster first.`;
}
