export type PortErrorOptions = ErrorOptions & Readonly<{ retryAfterSeconds?: number }>;

/** A failed request to another system: the hub, a queue, a topic or a registry. */
export abstract class PortError extends Error {
  /** The other system's Retry-After in seconds. Undefined if it sent none. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options?: PortErrorOptions) {
    super(message, options);
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }

  /** Reports whether a retry may succeed. If so, the queue's message is received again later. */
  abstract get isRetryable(): boolean;
}

/** Reports whether a retry may succeed after this error. */
export function isRetryable(error: unknown): boolean {
  return error instanceof PortError && error.isRetryable;
}

/** Returns an error as one line for a log: its name and message, never its stack or cause. */
export function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
