import { PortError } from "./port-error.ts";
/** A message to send: at most 1 MiB with its attributes on SQS; other servers and a queue's settings may allow less. */
export type OutgoingMessage = Readonly<{
  body: string;
  /** Seconds until it becomes visible, 0 to 900. */
  delaySeconds?: number;
  attributes?: Readonly<Record<string, string>>;
}>;

/**
 * The attribute that a queue adds to a message with `delaySeconds`: the ISO time when it is due, since a server reports only
 * when a message was sent.
 */
export const dueAttribute = "hubrelay.dueAt";

export type ReceivedMessage = Readonly<{
  id: string;
  receiptHandle: string;
  body: string;
  /** How often the message was received, this time included. */
  receiveCount: number;
  /** When the message was first sent; the epoch where a server does not report it. */
  sentAt: Date;
  attributes: Readonly<Record<string, string>>;
}>;

/** Messages in a queue, by state; approximate, as in SQS. */
export type QueueDepth = Readonly<{ visible: number; inFlight: number; delayed: number }>;

/**
 * One SQS queue of AWS or of any server with the same protocol. `test/contract/queue.contract.ts` runs on every
 * supported server. Failures are `QueueError`.
 */
export type Queue = Readonly<{
  name: string;
  url: string;
  /** Sends all messages, in requests of at most ten; throws when any of them was not accepted. */
  send(messages: readonly OutgoingMessage[]): Promise<void>;
  /**
   * Returns at most `max` messages, ten by default and at most; waits up to `waitSeconds` (0 to 20) for the first, or
   * until the signal aborts. They are hidden from others for `hiddenSeconds`, by default for the queue's visibility
   * timeout.
   */
  receive(
    options: Readonly<{
      waitSeconds: number;
      max?: number;
      hiddenSeconds?: number;
      signal?: AbortSignal;
    }>,
  ): Promise<readonly ReceivedMessage[]>;
  delete(receiptHandles: readonly string[]): Promise<void>;
  /** Seconds from now until the message can be received again, 0 to 43,200. */
  changeVisibility(receiptHandle: string, seconds: number): Promise<void>;
  depth(): Promise<QueueDepth>;
}>;

/** A failed queue request. Retrying it is safe: every consumer is idempotent. */
export class QueueError extends PortError {
  override readonly name = "QueueError";
  readonly code: "SendFailed" | "TooLarge" | "QueueUnavailable" | "QueueMissing" | "Unsupported";

  constructor(code: QueueError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** A missing queue must be created first; what is too large stays too large, and what a server lacks stays missing. */
  get isRetryable(): boolean {
    return !["QueueMissing", "TooLarge", "Unsupported"].includes(this.code);
  }
}

/** Reports whether a message was rejected since it is too large for the queue. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof QueueError && error.code === "TooLarge";
}
