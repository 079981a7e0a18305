import type { OutcomeEvent } from "../domain/events/outcome-event.ts";
import type { OutcomeTopic } from "../ports/outcome-topic.ts";
import { isRetryable } from "./is-retryable.ts";

/** Events that a process remembers at most; the hub keeps the last ones of each object anyway. */
const mostOwed = 10_000;

/**
 * A topic that remembers what was refused and publishes it with what comes next, so that the outcomes of a state that
 * was replaced while the topic was away are published as well. What the topic will never take is not remembered.
 */
export function owedOutcomes(topic: OutcomeTopic): OutcomeTopic {
  const owed = new Map<string, OutcomeEvent>();
  return {
    async publish(events) {
      // Out of the memory while they are on their way: a publication beside this one need not repeat them.
      const all = new Map([...owed, ...events.map((event) => [event.id, event] as const)]);
      owed.clear();
      if (all.size === 0) return;
      try {
        await topic.publish([...all.values()]);
      } catch (error) {
        if (isRetryable(error)) for (const [id, event] of [...all].slice(-mostOwed)) owed.set(id, event);
        throw error;
      }
    },
  };
}
