import type { OutcomeEvent } from "../../domain/plan/outcome-event.ts";
import { acceptedDespite, type OutcomeTopic } from "../../ports/outcome-topic.ts";
import { isRetryable } from "../../ports/port-error.ts";

/** The maximum of each that a process remembers; the hub keeps the last outcomes of each object anyway. */
const maxRemembered = 10_000;

export type OwedOutcomes = OutcomeTopic &
  Readonly<{
    /** Reports whether the topic has accepted this outcome from this process: it need not get it again. */
    isAccepted(id: string): boolean;
  }>;

/**
 * A topic that remembers rejected events and publishes them with the next ones, so that the outcomes of a state that
 * was replaced while the topic was unavailable are published as well. Events that the topic can never accept are not
 * remembered. A publication fails only by its own events, not by those that are published with it.
 */
export function owedOutcomes(topic: OutcomeTopic): OwedOutcomes {
  const owed = new Map<string, OutcomeEvent>();
  const known = new Set<string>();
  const accept = (ids: Iterable<string>): void => {
    for (const id of ids) known.add(id);
    for (const id of [...known].slice(0, -maxRemembered)) known.delete(id);
  };
  return {
    isAccepted: (id) => known.has(id),
    async publish(events) {
      // Removed while they are being published: a concurrent publication need not repeat them.
      const all = new Map([...owed, ...events.map((event) => [event.id, event] as const)]);
      owed.clear();
      if (all.size === 0) return;
      try {
        await topic.publish([...all.values()]);
        accept(all.keys());
      } catch (error) {
        const accepted = acceptedDespite(error);
        accept(accepted);
        const refused = [...all].filter(([id]) => !accepted.has(id));
        if (isRetryable(error)) for (const [id, event] of refused.slice(-maxRemembered)) owed.set(id, event);
        if (events.some(({ id }) => !accepted.has(id))) throw error;
      }
    },
  };
}
