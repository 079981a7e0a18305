import type { OutcomeEvent } from "../../domain/plan/outcome-event.ts";
import { acceptedDespite, type OutcomeTopic, withAccepted } from "../../ports/outcome-topic.ts";
import { isRetryable } from "../../ports/port-error.ts";

/** Reports whether a filter includes a type. An entry that ends with `*` includes all types with its prefix. */
export const isWanted = (types: readonly string[], type: string): boolean =>
  types.some((wanted) => (wanted.endsWith("*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted));

/** Returns a topic that publishes only events of these types; `topic` itself if `types` is undefined. */
export function topicOfTypes(topic: OutcomeTopic, types: readonly string[] | undefined): OutcomeTopic {
  if (!types) return topic;
  return {
    async publish(events: readonly OutcomeEvent[]) {
      const { wanted = [], unwanted = [] } = Object.groupBy(events, ({ type }) =>
        isWanted(types, type) ? "wanted" : "unwanted",
      );
      if (wanted.length === 0) return;
      await topic.publish(wanted).catch((error) => {
        throw withAccepted(error, [...acceptedDespite(error), ...unwanted.map(({ id }) => id)]);
      });
    },
  };
}

const maxRemembered = 10_000;

/** Returns a topic that publishes to all these topics. A retry skips the topics that have accepted the event. */
export function severalTopics(topics: readonly OutcomeTopic[]): OutcomeTopic {
  const all = topics.map((topic) => ({ topic, accepted: new Set<string>() }));

  const publishTo = async (
    { topic, accepted }: (typeof all)[number],
    events: readonly OutcomeEvent[],
  ): Promise<void> => {
    const open = events.filter(({ id }) => !accepted.has(id));
    try {
      if (open.length > 0) await topic.publish(open);
      for (const { id } of open) accepted.add(id);
    } catch (error) {
      for (const id of acceptedDespite(error)) accepted.add(id);
      throw error;
    }
  };

  return {
    async publish(events) {
      const results = await Promise.allSettled(all.map((one) => publishTo(one, events)));
      const byAll = events.filter(({ id }) => all.every(({ accepted }) => accepted.has(id)));
      const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
      for (const { accepted } of all) {
        if (errors.length === 0) for (const { id } of events) accepted.delete(id);
        for (const id of [...accepted].slice(0, -maxRemembered)) accepted.delete(id);
      }
      if (errors.length > 0)
        throw withAccepted(
          errors.find(isRetryable) ?? errors[0],
          byAll.map(({ id }) => id),
        );
    },
  };
}
