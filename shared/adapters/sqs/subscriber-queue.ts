import type { OutcomeEvent } from "../../domain/plan/outcome-event.ts";
import type { Log } from "../../ports/log.ts";
import { type OutcomeTopic, OutcomeTopicError, withAccepted } from "../../ports/outcome-topic.ts";
import { type Queue, QueueError } from "../../ports/queue.ts";
import { deleteOldest } from "../../runtime/scan-queue.ts";
import type { OutcomeSubscriber } from "../settings/outcome-settings.ts";
import { messageText } from "./message-batches.ts";

const codes: Partial<Record<QueueError["code"], OutcomeTopicError["code"]>> = {
  QueueMissing: "TopicMissing",
  TooLarge: "TooLarge",
};

/** Publishes events one by one; throws the first error. */
async function publishEach(topic: OutcomeTopic, events: readonly OutcomeEvent[]): Promise<void> {
  const accepted: string[] = [];
  let failure: unknown;
  for (const event of events)
    try {
      await topic.publish([event]);
      accepted.push(event.id);
    } catch (error) {
      failure ??= error;
    }
  if (failure) throw withAccepted(failure, accepted);
}

/** Returns an outcome topic that is a queue, for installations without SNS: each message is the CloudEvent's JSON. */
function queueOutcomeTopic(queue: Queue): OutcomeTopic {
  return {
    async publish(events) {
      const messages = events.map((event) => ({
        body: messageText(event),
        attributes: { type: event.type, source: event.source },
      }));
      try {
        await queue.send(messages);
      } catch (error) {
        if (!(error instanceof QueueError)) throw error;
        // Those that fit are sent without the one that does not; some perhaps again, under the same id.
        if (error.code === "TooLarge" && events.length > 1)
          return publishEach(queueOutcomeTopic(queue), events);
        const code = codes[error.code] ?? "PublishFailed";
        throw new OutcomeTopicError(code, error.message, { cause: error });
      }
    },
  };
}

/**
 * Deletes messages that were sent before a time. To find the first that was not, it has to receive it, which counts as a
 * delivery: it asks for one message, and for more only after that one was deleted.
 */
async function deleteBefore(queue: Queue, time: number, maxRequests: number): Promise<number> {
  let deleted = 0;
  for (let request = 0; request < maxRequests; request++) {
    const messages = await queue.receive({ waitSeconds: 0, ...(deleted === 0 ? { max: 1 } : {}) });
    const old = messages.filter(({ sentAt }) => sentAt.getTime() < time);
    const young = messages.filter((message) => !old.includes(message));
    await Promise.all(young.map(({ receiptHandle }) => queue.changeVisibility(receiptHandle, 0)));
    if (old.length > 0) await queue.delete(old.map(({ receiptHandle }) => receiptHandle));
    deleted += old.length;
    if (old.length === 0 || young.length > 0) break;
  }
  return deleted;
}

/**
 * Returns an outcome topic that is the queue of one subscriber. Servers such as ElasticMQ keep messages for ever and in memory, so the oldest are removed here: with a publication, when more wait than the
 * subscriber permits, and when they are too old, which is checked with the first publication of a process and four times in
 * a retention period. A message is therefore removed at the latest after twice the retention, if something is published.
 */
export function subscriberQueue(
  queue: Queue,
  { name, maxMessages, retentionSeconds }: Omit<OutcomeSubscriber, "url" | "types">,
  { log, now }: Readonly<{ log: Log; now(): Date }>,
): OutcomeTopic {
  const topic = queueOutcomeTopic(queue);
  const period = (retentionSeconds * 1000) / 4;
  let nextCheck = 0;

  const dropped = (messages: number, reason: "too many" | "too old") => {
    if (messages > 0) log({ event: "outcomes-dropped", subscriber: name, messages, reason });
  };

  const cleanUp = async (added: number): Promise<void> => {
    const { visible, inFlight, delayed } = await queue.depth();
    const messages = visible + inFlight + delayed;
    log({ event: "outcomes-waiting", subscriber: name, messages });
    // A publication waits for this: it removes more than it added, but not everything that is there.
    const max = 100 + 2 * added;
    if (messages > maxMessages)
      dropped(await deleteOldest(queue, Math.min(messages - maxMessages, max)), "too many");
    // Messages in flight are a subscriber at work, who gets old messages soon.
    if (inFlight > 0 || now().getTime() < nextCheck) return;
    nextCheck = now().getTime() + period;
    // Most subscribers have read everything.
    if (messages > added) dropped(await deleteBefore(queue, now().getTime() - 4 * period, max), "too old");
  };

  return {
    async publish(events: readonly OutcomeEvent[]) {
      if (events.length === 0) return;
      await topic.publish(events);
      try {
        await cleanUp(events.length);
      } catch (error) {
        // The events were accepted: to publish them again would not help. The next publication cleans up.
        if (!(error instanceof QueueError)) throw error;
      }
    },
  };
}
