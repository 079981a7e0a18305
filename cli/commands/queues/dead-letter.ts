import { deadLetterAttributes, deadLetterReason } from "#shared/domain/events/dead-letter.ts";
import { parseHubEvent } from "#shared/domain/events/hub-event.ts";
import type { ReceivedMessage } from "#shared/ports/queue.ts";

/** What is shown of a dead letter: no part of its body but the object's name. */
export type DeadLetter = Readonly<{
  id: string;
  reason: string;
  /** The subject of its event; undefined when it cannot be read. */
  subject: string | undefined;
  /** When it was first sent. */
  sentAt: string;
  /** When it was last replayed, before it failed again. */
  replayed: string | undefined;
}>;

/** Reads a message of a dead-letter queue. Never throws: a message that is not an event has no subject. */
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
