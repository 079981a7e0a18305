import type { OutcomeTopic } from "../../ports/outcome-topic.ts";

/** Twice the longest pause before an outcome is published again: afterwards none can be left of a past failure. */
const settledMs = 2 * 900_000;

/**
 * Returns a topic that knows since when it owes outcomes: since the first failure after which none has succeeded for good.
 * Who replaces this process publishes those since then again; their ids stay, so what was published twice is known.
 */
export function owedPeriod(
  topic: OutcomeTopic,
  now: () => Date,
): Readonly<{ topic: OutcomeTopic; owedSince(): Date | undefined }> {
  let since: Date | undefined;
  let lastFailureMs = 0;
  return {
    topic: {
      async publish(events) {
        const startedAt = now();
        try {
          await topic.publish(events);
        } catch (error) {
          lastFailureMs = now().getTime();
          since ??= startedAt;
          throw error;
        }
      },
    },
    owedSince() {
      if (now().getTime() - lastFailureMs > settledMs) since = undefined;
      return since;
    },
  };
}
