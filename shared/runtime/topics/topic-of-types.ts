import type { OutcomeEvent } from "../../domain/plan/outcome-event.ts";
import { acceptedDespite, type OutcomeTopic, withAccepted } from "../../ports/outcome-topic.ts";

/** Reports whether a subscriber with these types wants this one: `dev.hubrelay.precache.*` is all with that beginning. */
export const isWanted = (types: readonly string[], type: string): boolean =>
  types.some((wanted) => (wanted.endsWith("*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted));

/** Returns the topic for a subscriber that wants only these types; without types, as it is. */
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
