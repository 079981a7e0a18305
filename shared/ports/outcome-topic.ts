import type { OutcomeEvent } from "../domain/plan/outcome-event.ts";
import { PortError, type PortErrorOptions } from "./port-error.ts";

/** The destination of outcome events, such as an SNS topic. Failures are `OutcomeTopicError`. */
export type OutcomeTopic = Readonly<{
  /** Publishes all events. Throws if one is rejected; `acceptedDespite` returns the ids of those that were accepted. */
  publish(events: readonly OutcomeEvent[]): Promise<void>;
}>;

/** A failed request to the topic. Publishing the events again is safe, since their ids stay the same. */
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

  /** Reports whether a retry may succeed. This includes a missing topic, which somebody may create again. */
  get isRetryable(): boolean {
    return this.code !== "TooLarge";
  }
}

/** Returns the ids of the events that the topic accepted although the publication failed with this error. */
export const acceptedDespite = (error: unknown): ReadonlySet<string> =>
  error instanceof OutcomeTopicError ? error.accepted : new Set();

/** Returns an `OutcomeTopicError` with these ids as `accepted`. Returns any other error unchanged. */
export function withAccepted(error: unknown, accepted: Iterable<string>): unknown {
  if (!(error instanceof OutcomeTopicError)) return error;
  const { code, message, cause, retryAfterSeconds } = error;
  return new OutcomeTopicError(code, message, {
    cause,
    accepted,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
