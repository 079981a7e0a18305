/** Names of the message attributes of a dead letter. */
export const deadLetterAttributes = {
  /** Why the message was refused without a retry, as a sentence; absent if every attempt failed or timed out. */
  reason: "hubrelay.reason",
  function: "hubrelay.function",
  /** The id that the message had in the function's queue. */
  messageId: "hubrelay.messageId",
} as const;

type Attributes = Readonly<Record<string, string>>;

const triedTooOften = "Every attempt failed or timed out; see the function's log for the reason.";

/** Returns the reason why a message is a dead letter, as a sentence. */
export function deadLetterReason(attributes: Attributes): string {
  return attributes[deadLetterAttributes.reason] ?? triedTooOften;
}
