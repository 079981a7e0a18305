import type { OutcomeEvent } from "../domain/events/outcome-event.ts";

/** Where outcome events go: an SNS topic, AWS's or an embedded one. */
export type OutcomeTopic = Readonly<{
  /** Resolves when the topic has taken every event; throws otherwise, and the caller's message is retried. */
  publish(events: readonly OutcomeEvent[]): Promise<void>;
}>;
