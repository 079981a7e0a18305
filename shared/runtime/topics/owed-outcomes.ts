import type { OutcomeEvent } from "../../domain/plan/outcome-event.ts";
import { acceptedDespite, type OutcomeTopic } from "../../ports/outcome-topic.ts";
import { isRetryable } from "../../ports/port-error.ts";

const maxRemembered = 10_000;

type OwedOutcomes = OutcomeTopic &
  Readonly<{
    isAccepted(id: string): boolean;
  }>;

/**
 * Returns a topic that remembers rejected events, and publishes them with the next events: an outcome of a state that
 * was replaced meanwhile would be lost otherwise. `publish` throws only for the events in its call, not for remembered
 * ones.
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
      // Events are removed from `owed` while they are published, so that a concurrent call does not publish them too.
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

/** Twice the longest pause before a retry. If no publication failed in this time, all outcomes count as published. */
const settledMs = 2 * 900_000;

/**
 * Returns a topic, and a function that returns since when outcomes may be unpublished; undefined if all are published.
 * The next leader publishes the outcomes since then again, with the same ids, so that subscribers recognize duplicates.
 */
export function owedPeriod(
  topic: OutcomeTopic,
  now: () => Date,
): Readonly<{ topic: OutcomeTopic; owedSince(): Date | undefined }> {
  const owed = new Set<string>();
  let since: Date | undefined;
  let lastFailureMs = 0;
  return {
    topic: {
      async publish(events) {
        const startedAt = now();
        try {
          await topic.publish(events);
          for (const { id } of events) owed.delete(id);
        } catch (error) {
          const accepted = acceptedDespite(error);
          for (const { id } of events)
            if (accepted.has(id)) owed.delete(id);
            else owed.add(id);
          lastFailureMs = now().getTime();
          since ??= startedAt;
          throw error;
        }
      },
    },
    owedSince() {
      if (now().getTime() - lastFailureMs > settledMs) owed.clear();
      if (owed.size === 0) since = undefined;
      return since;
    },
  };
}
