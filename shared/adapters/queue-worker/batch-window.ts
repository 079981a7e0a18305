import type { Message } from "@aws-sdk/client-sqs";
import { batchLimits } from "../sqs/message-batches.ts";

/** Receives at most `count` messages, at most as many as one request may; throws `QueueError`. */
export type Receive = (count: number, waitSeconds: number) => Promise<readonly Message[]>;

type BatchWindowOptions = Readonly<{
  receive: Receive;
  batchSize: number;
  windowSeconds: number;
  /** Ends the waiting; the batch then has the messages received so far. */
  signal: AbortSignal;
  onError: (error: unknown) => void;
}>;

/** The maximum of SQS for one request. */
const maxPerRequest = batchLimits.entries;

/**
 * Concurrent requests that fill a batch while more messages are available, like Lambda's pollers: sequential requests
 * would take the whole window.
 */
const maxReceivers = 5;

/** In milliseconds since the epoch; `now` when the server does not report it. */
function sentAt({ Attributes }: Message, now: number): number {
  return Number(Attributes?.SentTimestamp) || now;
}

/**
 * Returns a function that fills a batch after its first messages: it waits for more until the batch is full, its window
 * closes or the signal aborts, and returns all of them. While requests return the maximum, more messages are available,
 * and it receives them even after the window, or without one. After an error, which is reported, the batch has the
 * messages received so far.
 */
export function batchWindow({
  receive,
  batchSize,
  windowSeconds,
  signal,
  onError,
}: BatchWindowOptions): (first: readonly Message[]) => Promise<readonly Message[]> {
  const windowMs = windowSeconds * 1000;

  return async (first) => {
    const now = Date.now();
    // Time already spent in the queue counts towards the window.
    const waitedMs = Math.max(0, ...first.map((message) => now - sentAt(message, now)));
    const closes = now + windowMs - Math.min(windowMs, waitedMs);
    // By id: a message whose visibility ends within the window is received twice but can be deleted only once.
    const batch = new Map(first.map((message) => [message.MessageId, message]));
    let requested = 0;
    const receivers: Promise<void>[] = [];
    const fill = async (wasFull: boolean): Promise<void> => {
      for (let hasMore = wasFull; ; ) {
        const count = Math.min(maxPerRequest, batchSize - batch.size - requested);
        const leftMs = closes - Date.now();
        const isOver = leftMs <= -windowMs && !hasMore;
        if (count <= 0 || isOver || signal.aborted) return;
        // In its last half second the window takes available messages without waiting.
        const waitSeconds = Math.max(0, Math.min(20, Math.round(leftMs / 1000)));
        requested += count;
        try {
          const more = await receive(count, waitSeconds);
          for (const message of more) batch.set(message.MessageId, message);
          if (more.length === 0 && waitSeconds === 0) return;
          hasMore = more.length === maxPerRequest;
          if (hasMore && receivers.length < maxReceivers) receivers.push(fill(true));
        } catch (error) {
          if (!signal.aborted) onError(error);
          return;
        } finally {
          requested -= count;
        }
      }
    };
    receivers.push(fill(first.length >= maxPerRequest));
    for (const receiver of receivers) await receiver;
    return [...batch.values()];
  };
}
