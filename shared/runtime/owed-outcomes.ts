import type { OutcomeEvent } from "../domain/events/outcome-event.ts";
import type { OutcomeTopic } from "../ports/outcome-topic.ts";
import { isRetryable } from "./errors.ts";

/** The maximum that a process remembers; the hub keeps the last outcomes of each object anyway. */
const maxOwed = 10_000;

/**
 * A topic that remembers rejected events and publishes them with the next ones, so that the outcomes of a state that
 * was replaced while the topic was unavailable are published as well. Events that the topic can never accept are not
 * remembered.
 */
export function owedOutcomes(topic: OutcomeTopic): OutcomeTopic {
  const owed = new Map<string, OutcomeEvent>();
  return {
    async publish(events) {
      // Removed while they are being published: a concurrent publication need not repeat them.
      const all = new Map([...owed, ...events.map((event) => [event.id, event] as const)]);
      owed.clear();
      if (all.size === 0) return;
      try {
        await topic.publish([...all.values()]);
      } catch (error) {
        if (isRetryable(error)) for (const [id, event] of [...all].slice(-maxOwed)) owed.set(id, event);
        throw error;
      }
    },
  };
}
