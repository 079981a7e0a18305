import { type OutcomeEvent, outcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { type OutcomeTopic, OutcomeTopicError } from "#shared/ports/outcome-topic.ts";

/** Returns an outcome of which only the subject matters. */
export function anOutcome(subject = "99-worker"): OutcomeEvent {
  return outcomeEvent({
    type: "dev.hubrelay.mirror-config.rendered",
    source: "urn:test:hub",
    subject,
    from: "",
    at: "2026-03-01T02:00:00Z",
    data: {},
  });
}

/** A topic that refuses as long as `refuses` is set. */
export type RefusingTopic = OutcomeTopic & {
  refuses?: OutcomeTopicError["code"] | undefined;
  /** The only subjects that it refuses; without this, all. */
  refused?: readonly string[];
  /** The subjects of each request, also of those that were refused. */
  readonly requests: readonly (readonly string[])[];
  /** The subjects of all events that were accepted. */
  readonly accepted: readonly string[];
};

export function refusingTopic(): RefusingTopic {
  const requests: string[][] = [];
  const accepted: string[] = [];
  const topic: RefusingTopic = {
    requests,
    accepted,
    async publish(events) {
      const subjects = events.map(({ subject }) => subject);
      requests.push(subjects);
      const { refuses, refused = subjects } = topic;
      const taken = refuses ? events.filter(({ subject }) => !refused.includes(subject)) : events;
      accepted.push(...taken.map(({ subject }) => subject));
      if (refuses && taken.length < events.length)
        throw new OutcomeTopicError(refuses, refuses, { accepted: taken.map(({ id }) => id) });
    },
  };
  return topic;
}
