import { deadLetterAttributes, deadLetterReason } from "#shared/domain/events/dead-letter.ts";
import { parseHubEvent } from "#shared/domain/events/hub-event.ts";
import type { ReceivedMessage } from "#shared/ports/queue.ts";

/** What a person is told of a dead letter; nothing of its body but the object's name. */
export type DeadLetter = Readonly<{
  id: string;
  reason: string;
  /** What it is about, or undefined when that cannot be read. */
  subject: string | undefined;
  /** When it was first sent. */
  sentAt: string;
  /** When it was last put back into its queue, and came to nothing again. */
  replayed: string | undefined;
}>;

/** Reads a message of a dead-letter queue. Never throws: one that is no event has no subject. */
export function deadLetterOf({ id, body, attributes, sentAt }: ReceivedMessage): DeadLetter {
  const parsed = parseHubEvent(body);
  return {
    id,
    reason: deadLetterReason(attributes),
    subject: parsed.ok ? parsed.event.subject : undefined,
    sentAt: sentAt.toISOString(),
    replayed: attributes[deadLetterAttributes.replayed],
  };
}
