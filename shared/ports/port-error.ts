export type PortErrorOptions = ErrorOptions & Readonly<{ retryAfterSeconds?: number }>;

/** A request that has failed in another system: the hub, a queue, a topic or a registry. */
export abstract class PortError extends Error {
  /** Seconds that the other system asked to wait (Retry-After). */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options?: PortErrorOptions) {
    super(message, options);
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }

  /** True if a retry may succeed: the message goes back to the queue and is received again later. */
  abstract get isRetryable(): boolean;
}
