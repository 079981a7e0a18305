import type { OutcomeEvent } from "../domain/plan/outcome-event.ts";
import { PortError, type PortErrorOptions } from "./port-error.ts";

/** Where outcome events go: an SNS topic of AWS or an embedded one. Failures are `OutcomeTopicError`. */
export type OutcomeTopic = Readonly<{
  /**
   * Resolves when the topic has accepted every event; otherwise throws, and the caller's message is retried. An event that
   * the topic refuses keeps no other from being published.
   */
  publish(events: readonly OutcomeEvent[]): Promise<void>;
}>;

/** Outcome events that the topic did not accept. Publishing them again is safe: their ids stay the same. */
export class OutcomeTopicError extends PortError {
  override readonly name = "OutcomeTopicError";
  readonly code: "PublishFailed" | "TooLarge" | "TopicMissing";
  /** The ids of the events that were accepted nevertheless. */
  readonly accepted: ReadonlySet<string>;

  constructor(
    code: OutcomeTopicError["code"],
    message: string,
    { accepted = [], ...options }: PortErrorOptions & Readonly<{ accepted?: Iterable<string> }> = {},
  ) {
    super(message, options);
    this.code = code;
    this.accepted = new Set(accepted);
  }

  /** A missing topic may be back within the day in which outcomes wait. */
  get isRetryable(): boolean {
    return this.code !== "TooLarge";
  }
}

/** Returns the ids of the events that were accepted although their publication failed. */
export const acceptedDespite = (error: unknown): ReadonlySet<string> =>
  error instanceof OutcomeTopicError ? error.accepted : new Set();

/** Returns the error of a publication with the ids that are known to be accepted; other errors as they are. */
export function withAccepted(error: unknown, accepted: Iterable<string>): unknown {
  if (!(error instanceof OutcomeTopicError)) return error;
  const { code, message, cause, retryAfterSeconds } = error;
  return new OutcomeTopicError(code, message, {
    cause,
    accepted,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
