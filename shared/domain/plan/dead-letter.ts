/** The message attributes of a dead letter. */
export const deadLetterAttributes = {
  /** Why it can never be handled; absent when it only failed too many times. */
  reason: "hubrelay.reason",
  /** The function that gave up on it. */
  function: "hubrelay.function",
  /** The id that the message had in the function's queue. */
  messageId: "hubrelay.messageId",
} as const;

type Attributes = Readonly<Record<string, string>>;

const triedTooOften = "Every attempt failed or timed out; see the function's log for the reason.";

/** Returns why a message is a dead letter, as a sentence. */
export function deadLetterReason(attributes: Attributes): string {
  return attributes[deadLetterAttributes.reason] ?? triedTooOften;
}
