import type { OutcomeEvent } from "../domain/plan/outcome-event.ts";
import { PortError, type PortErrorOptions } from "./port-error.ts";

/** The destination of outcome events, such as an SNS topic. Failures are `OutcomeTopicError`. */
export type OutcomeTopic = Readonly<{
  /**
   * Resolves when the topic has accepted every event; otherwise throws, and the caller retries its message. A rejected
   * event does not prevent the others from being published.
   */
  publish(events: readonly OutcomeEvent[]): Promise<void>;
}>;

/** A publication in which the topic rejected events. Publishing these again is safe: their ids stay the same. */
export class OutcomeTopicError extends PortError {
  override readonly name = "OutcomeTopicError";
  readonly code: "PublishFailed" | "TooLarge" | "TopicMissing";
  /** The ids of the events that the topic accepted in the same publication. */
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

  /** Reports whether a retry may succeed. This includes a missing topic, which may be created again within a day. */
  get isRetryable(): boolean {
    return this.code !== "TooLarge";
  }
}

/** Returns the ids of the events that the topic accepted in the publication that failed with this error. */
export const acceptedDespite = (error: unknown): ReadonlySet<string> =>
  error instanceof OutcomeTopicError ? error.accepted : new Set();

/** Returns an `OutcomeTopicError` with these ids as `accepted`; returns any other error unchanged. */
export function withAccepted(error: unknown, accepted: Iterable<string>): unknown {
  if (!(error instanceof OutcomeTopicError)) return error;
  const { code, message, cause, retryAfterSeconds } = error;
  return new OutcomeTopicError(code, message, {
    cause,
    accepted,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
