import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../ports/log.ts";
import { describeError } from "../../ports/port-error.ts";
import type { OutgoingMessage, Queue } from "../../ports/queue.ts";

/** The limit for messages that are sent together. If a message is rejected, all of them are sent again. */
const batchSize = 40;

export type OutboxOptions = Readonly<{
  queue: Queue;
  /** When this signal aborts, `put` and `drained` stop waiting. */
  signal: AbortSignal;
  log: Log;
  /** The limit for waiting messages. When it is reached, `put` waits. */
  capacity?: number;
  retryMs?: Readonly<{ first: number; max: number }>;
}>;

/** The messages to send to one queue. At most one message waits for each object. */
export type Outbox = Readonly<{
  /** Adds a message, which replaces a waiting message about the same object. Resolves when there is room for more. */
  put(about: string, message: OutgoingMessage): Promise<void>;
  /** Resolves when everything is sent, or when the signal aborts. */
  drained(): Promise<void>;
  /** Sends waiting messages for at most `withinMs`. Returns the number of messages that were not sent. */
  close(withinMs: number): Promise<number>;
}>;

/** Returns the outbox of a queue. After a failure, sending is retried with growing pauses. No message is dropped. */
export function outbox({
  queue,
  signal,
  log,
  capacity = 10_000,
  retryMs = { first: 250, max: 30_000 },
}: OutboxOptions): Outbox {
  const waiting = new Map<string, OutgoingMessage>();
  const ended = new AbortController();
  let waiters: (() => void)[] = [];
  let isSending = false;
  let inFlight = 0;
  let failures = 0;

  const wake = (): void => {
    const woken = waiters;
    waiters = [];
    for (const resume of woken) resume();
  };
  const changed = () => new Promise<void>((resolve) => waiters.push(resolve));
  signal.addEventListener("abort", wake);

  /** Waits for `ms`. Stops waiting when the term ends, so that the remaining messages are tried once more. */
  async function pause(ms: number): Promise<void> {
    const interrupt = signal.aborted ? ended.signal : AbortSignal.any([signal, ended.signal]);
    await sleep(ms, undefined, { signal: interrupt }).catch(() => undefined);
  }

  function take(): readonly (readonly [string, OutgoingMessage])[] {
    const batch = [...waiting.entries().take(batchSize)];
    for (const [about] of batch) waiting.delete(about);
    return batch;
  }

  function putBack(batch: readonly (readonly [string, OutgoingMessage])[]): void {
    const newer = [...waiting];
    waiting.clear();
    for (const [about, message] of [...batch, ...newer]) waiting.set(about, message);
  }

  async function sendBatch(): Promise<void> {
    const batch = take();
    let pauseMs = 0;
    inFlight = batch.length;
    wake();
    try {
      await queue.send(batch.map(([, message]) => message));
      failures = 0;
      log({ event: "forwarded", queue: queue.name, messages: batch.length, waiting: waiting.size });
    } catch (error) {
      putBack(batch);
      pauseMs = Math.min(retryMs.max, retryMs.first * 2 ** failures++);
      if (!ended.signal.aborted)
        log({
          event: "not-forwarded",
          queue: queue.name,
          waiting: waiting.size,
          error: describeError(error),
          delaySeconds: pauseMs / 1000,
          attempt: failures,
        });
    }
    inFlight = 0;
    wake();
    if (pauseMs > 0) await pause(pauseMs);
  }

  async function sendWaiting(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (waiting.size > 0 && !ended.signal.aborted) await sendBatch();
    isSending = false;
  }

  const isEmpty = () => waiting.size + inFlight === 0;

  return {
    async put(about, message) {
      waiting.set(about, message);
      void sendWaiting();
      while (waiting.size >= capacity && !signal.aborted) await changed();
    },

    async drained() {
      while (!isEmpty() && !signal.aborted) await changed();
    },

    async close(withinMs) {
      const late = AbortSignal.timeout(withinMs);
      late.addEventListener("abort", wake);
      while (!isEmpty() && !late.aborted) await changed();
      ended.abort();
      signal.removeEventListener("abort", wake);
      return waiting.size + inFlight;
    },
  };
}
