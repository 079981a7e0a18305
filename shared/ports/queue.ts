import { PortError } from "./port-error.ts";
/** A message to send. SQS accepts 1 MiB including attributes. Other servers, or a queue's settings, may allow less. */
export type OutgoingMessage = Readonly<{
  body: string;
  /** Seconds until the message becomes visible, 0 to 900. */
  delaySeconds?: number;
  attributes?: Readonly<Record<string, string>>;
}>;

/** Attribute of a message with a delay: the time (ISO 8601) at which the message becomes visible. */
export const dueAttribute = "hubrelay.dueAt";

export type ReceivedMessage = Readonly<{
  id: string;
  receiptHandle: string;
  body: string;
  /** How often the message was received, this time included. */
  receiveCount: number;
  /** The time at which the message was sent. It is the epoch if the server does not report it. */
  sentAt: Date;
  attributes: Readonly<Record<string, string>>;
}>;

/** The approximate number of messages in a queue, by state, as in SQS. */
export type QueueDepth = Readonly<{ visible: number; inFlight: number; delayed: number }>;

/** One SQS queue, on AWS or on another server with the same protocol. Failures are `QueueError`. */
export type Queue = Readonly<{
  name: string;
  url: string;
  /** Sends all messages. Throws if a message was not accepted; the other messages may have been sent. */
  send(messages: readonly OutgoingMessage[]): Promise<void>;
  /**
   * Returns at most `max` messages (by default 10, the maximum), after waiting up to `waitSeconds` (0 to 20). The
   * messages are hidden for `hiddenSeconds`, by default the queue's visibility timeout.
   */
  receive(
    options: Readonly<{
      waitSeconds: number;
      max?: number;
      hiddenSeconds?: number;
    }>,
  ): Promise<readonly ReceivedMessage[]>;
  delete(receiptHandles: readonly string[]): Promise<void>;
  /** Hides the message from receivers for this many seconds from now, 0 to 43,200. */
  changeVisibility(receiptHandle: string, seconds: number): Promise<void>;
  depth(): Promise<QueueDepth>;
}>;

/** A failed queue request. Repeating the request is safe, since every consumer handles a repeated message correctly. */
export class QueueError extends PortError {
  override readonly name = "QueueError";
  readonly code: "SendFailed" | "TooLarge" | "QueueUnavailable" | "QueueMissing" | "Unsupported";

  constructor(code: QueueError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Reports whether a retry may succeed; false for a missing queue, too large a message or an unsupported request. */
  get isRetryable(): boolean {
    return !["QueueMissing", "TooLarge", "Unsupported"].includes(this.code);
  }
}

/** Reports whether a message was rejected because it is too large for the queue. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof QueueError && error.code === "TooLarge";
}
