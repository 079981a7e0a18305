/** The message attributes of a dead letter. */
export const deadLetterAttributes = {
  /** Why it can never be handled; absent when it only failed too many times. */
  reason: "hubrelay.reason",
  /** The function that gave up on it. */
  function: "hubrelay.function",
  /** The id that the message had in the function's queue. */
  messageId: "hubrelay.messageId",
  /** When it was last returned to its queue, as an ISO time. */
  replayed: "hubrelay.replayed",
} as const;

type Attributes = Readonly<Record<string, string>>;

const triedTooOften = "Every attempt failed or timed out; see the function's log for the reason.";

/** Returns why a message is a dead letter, as a sentence. */
export function deadLetterReason(attributes: Attributes): string {
  return attributes[deadLetterAttributes.reason] ?? triedTooOften;
}

/** Returns the attributes of a replayed dead letter: without the reason of its failure, with the time. */
export function replayedAttributes(attributes: Attributes, at: string): Attributes {
  const own: ReadonlySet<string> = new Set(Object.values(deadLetterAttributes));
  const kept = Object.entries(attributes).filter(([name]) => !own.has(name));
  return { ...Object.fromEntries(kept), [deadLetterAttributes.replayed]: at };
}
