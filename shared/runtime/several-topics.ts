import type { OutcomeEvent } from "../domain/events/outcome-event.ts";
import type { OutcomeTopic } from "../ports/outcome-topic.ts";
import { isRetryable } from "./errors.ts";

/** The maximum that is remembered of each topic; an event that was forgotten is published again under the same id. */
const maxRemembered = 10_000;

/**
 * A topic that publishes to all of these, concurrently, so that none waits for another. When one of them refuses, the
 * whole publication fails and the caller repeats it; those that had accepted an event do not get it again.
 */
export function severalTopics(topics: readonly OutcomeTopic[]): OutcomeTopic {
  const all = topics.map((topic) => ({ topic, accepted: new Set<string>() }));

  const publishTo = async (
    { topic, accepted }: (typeof all)[number],
    events: readonly OutcomeEvent[],
  ): Promise<void> => {
    const open = events.filter(({ id }) => !accepted.has(id));
    if (open.length > 0) await topic.publish(open);
    for (const { id } of open) accepted.add(id);
  };

  return {
    async publish(events) {
      const results = await Promise.allSettled(all.map((one) => publishTo(one, events)));
      const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
      for (const { accepted } of all) {
        if (errors.length === 0) for (const { id } of events) accepted.delete(id);
        for (const id of [...accepted].slice(0, -maxRemembered)) accepted.delete(id);
      }
      // An error that passes decides whether the caller tries again.
      if (errors.length > 0) throw errors.find(isRetryable) ?? errors[0];
    },
  };
}
