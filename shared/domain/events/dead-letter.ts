/** The message attributes that tell about a dead letter. */
export const deadLetterAttributes = {
  /** Why it can never be handled; absent where it was only tried too often. */
  reason: "hubrelay.reason",
  /** Which function gave it up. */
  function: "hubrelay.function",
  /** The id that the message had in the function's queue. */
  messageId: "hubrelay.messageId",
  /** When it was last put back into its queue, as an ISO time. */
  replayed: "hubrelay.replayed",
} as const;

type Attributes = Readonly<Record<string, string>>;

/** What a queue's redrive policy does not say: it only counts. */
const triedTooOften = "Every attempt failed or took too long; the function's log tells why.";

/** Why a message is a dead letter, as a sentence. */
export function deadLetterReason(attributes: Attributes): string {
  return attributes[deadLetterAttributes.reason] ?? triedTooOften;
}

/** The attributes of a dead letter that is put back into its queue: not why it failed, but when it was put back. */
export function replayedAttributes(attributes: Attributes, at: string): Attributes {
  const own: ReadonlySet<string> = new Set(Object.values(deadLetterAttributes));
  const kept = Object.entries(attributes).filter(([name]) => !own.has(name));
  return { ...Object.fromEntries(kept), [deadLetterAttributes.replayed]: at };
}
