import { acceptedDespite, type OutcomeTopic } from "../../ports/outcome-topic.ts";

/** Twice the longest pause before an outcome is published again: one that was not until then never will be. */
const settledMs = 2 * 900_000;

/**
 * Returns a topic that knows since when it owes outcomes: since the first failure whose outcomes it has not accepted since.
 * Who replaces this process publishes those since then again; their ids stay, so what was published twice is known.
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
