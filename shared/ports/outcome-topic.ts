import type { OutcomeEvent } from "../domain/events/outcome-event.ts";

/** Where outcome events go: an SNS topic of AWS or an embedded one. Failures are `OutcomeTopicError`. */
export type OutcomeTopic = Readonly<{
  /** Resolves when the topic has accepted every event; otherwise throws, and the caller's message is retried. */
  publish(events: readonly OutcomeEvent[]): Promise<void>;
}>;

/** Outcome events that the topic did not accept. Publishing them again is safe: their ids stay the same. */
export class OutcomeTopicError extends Error {
  override readonly name = "OutcomeTopicError";
  readonly code: "PublishFailed" | "TooLarge" | "TopicMissing";

  constructor(code: OutcomeTopicError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
