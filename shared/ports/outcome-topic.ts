import type { OutcomeEvent } from "../domain/plan/outcome-event.ts";
import { PortError, type PortErrorOptions } from "./port-error.ts";

/** The destination of outcome events, such as an SNS topic on AWS or an embedded one. Failures are `OutcomeTopicError`. */
export type OutcomeTopic = Readonly<{
  /**
   * Resolves when the topic has accepted every event; otherwise throws, and the caller retries its message. A rejected
   * event does not prevent the others from being published.
   */
  publish(events: readonly OutcomeEvent[]): Promise<void>;
}>;

/** Outcome events that the topic did not accept. Publishing them again is safe: their ids stay the same. */
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

  /** Reports whether a retry may succeed. Outcomes for a missing topic wait up to a day: it may be created again. */
  get isRetryable(): boolean {
    return this.code !== "TooLarge";
  }
}

/** Returns the ids of the events that a failed publication delivered. */
export const acceptedDespite = (error: unknown): ReadonlySet<string> =>
  error instanceof OutcomeTopicError ? error.accepted : new Set();

/** Returns a publication's error with these ids as its accepted events; any other error unchanged. */
export function withAccepted(error: unknown, accepted: Iterable<string>): unknown {
  if (!(error instanceof OutcomeTopicError)) return error;
  const { code, message, cause, retryAfterSeconds } = error;
  return new OutcomeTopicError(code, message, {
    cause,
    accepted,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
