import { setTimeout as pause } from "node:timers/promises";
import { type Message, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { Consumer } from "sqs-consumer";
import { batchLimits, sqsError } from "../sqs/message-batches.ts";

type BatchWindowOptions = Readonly<{
  sqs: SQSClient;
  queueUrl: string;
  batchSize: number;
  windowSeconds: number;
  /** Aborts when the worker stops. The batch then gets no more messages. */
  signal: AbortSignal;
  onError: (error: unknown) => void;
}>;

const maxPerRequest = batchLimits.entries;

/** The maximum number of requests at once. Lambda's pollers, too, send several to a full queue. */
const maxReceivers = 5;

/** Returns the time at which a message was sent, in milliseconds since the epoch; `now` if it is unknown. */
function sentAt({ Attributes }: Message, now: number): number {
  return Number(Attributes?.SentTimestamp) || now;
}

/**
 * Returns a function that adds messages to a batch until the batch is full or its window closes; even then it continues
 * while each request returns the maximum. After an error, it calls `onError` and returns the messages received so far.
 */
export function batchWindow({
  sqs,
  queueUrl,
  batchSize,
  windowSeconds,
  signal,
  onError,
}: BatchWindowOptions): (first: readonly Message[]) => Promise<Message[]> {
  const windowMs = windowSeconds * 1000;

  const receiveMore = async (count: number, waitSeconds: number): Promise<readonly Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: count,
      WaitTimeSeconds: waitSeconds,
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["All"],
    });
    const { Messages = [] } = await sqs.send(command, { abortSignal: signal });
    return Messages;
  };

  return async (first) => {
    const now = Date.now();
    // The time that a message was in the queue is a part of the window.
    const waitedMs = Math.max(0, ...first.map((message) => now - sentAt(message, now)));
    const closes = now + windowMs - Math.min(windowMs, waitedMs);
    // The keys are message ids: a message that is received twice during the window can be deleted only once.
    const batch = new Map(first.map((message) => [message.MessageId, message]));
    let requested = 0;
    const receivers: Promise<void>[] = [];
    const receive = async (wasFull: boolean): Promise<void> => {
      for (let hasMore = wasFull; ; ) {
        const count = Math.min(maxPerRequest, batchSize - batch.size - requested);
        const leftMs = closes - Date.now();
        const isOver = leftMs <= -windowMs && !hasMore;
        if (count <= 0 || isOver || signal.aborted) return;
        // In the last half second of the window, requests no longer wait for messages.
        const waitSeconds = Math.max(0, Math.min(20, Math.round(leftMs / 1000)));
        requested += count;
        try {
          const more = await receiveMore(count, waitSeconds);
          for (const message of more) batch.set(message.MessageId, message);
          if (more.length === 0 && waitSeconds === 0) return;
          hasMore = more.length === maxPerRequest;
          if (hasMore && receivers.length < maxReceivers) receivers.push(receive(true));
        } catch (error) {
          if (!signal.aborted) onError(sqsError(queueUrl, "ReceiveMessage", "QueueUnavailable", error));
          return;
        } finally {
          requested -= count;
        }
      }
    };
    receivers.push(receive(first.length >= maxPerRequest));
    for (const receiver of receivers) await receiver;
    return [...batch.values()];
  };
}

type LaneOptions = Readonly<{
  sqs: SQSClient;
  queueUrl: string;
  batchSize: number;
  /** Returns the messages to delete. Must not throw. */
  handle: (messages: Message[]) => Promise<Message[]>;
  onError: (error: unknown) => void;
}>;

type Lane = Readonly<{
  busy(): boolean;
  failing(): boolean;
  stop(): Promise<void>;
}>;

const longPollSeconds = 20;
/** The longest pause between requests to a queue that does not respond. */
export const maxPauseMs = 10_000;

/** Starts a loop that receives a batch, calls `handle`, deletes the returned messages, and then receives again. */
export function startLane({ sqs, queueUrl, batchSize, handle, onError }: LaneOptions): Lane {
  const stopping = new AbortController();
  const ended = Promise.withResolvers<void>();
  let busy = false;
  let failures = 0;

  const consumer = Consumer.create({
    sqs,
    queueUrl,
    batchSize,
    waitTimeSeconds: longPollSeconds,
    messageAttributeNames: ["All"],
    messageSystemAttributeNames: ["All"],
    strictReturn: true,
    // Without this pause the consumer retries at once, even if the server is not available.
    preReceiveMessageCallback: async () => {
      if (failures === 0) return;
      const pauseMs = Math.min(maxPauseMs, 125 * 2 ** failures);
      await pause(pauseMs, undefined, { signal: stopping.signal });
    },
    handleMessageBatch: async (messages) => {
      // The messages become visible again after the visibility timeout.
      if (stopping.signal.aborted) return [];
      busy = true;
      return handle(messages);
    },
  });

  const polled = (): void => {
    busy = false;
    failures = 0;
    if (stopping.signal.aborted) ended.resolve();
  };
  consumer.on("response_processed", polled);
  consumer.on("empty", polled);
  consumer.on("error", (error, messages) => {
    const cause = error.cause ?? error;
    // If the error has messages, they could not be deleted. The event `response_processed` follows.
    if (messages) {
      onError(sqsError(queueUrl, "DeleteMessageBatch", "QueueUnavailable", cause));
      return;
    }
    failures++;
    if (stopping.signal.aborted) ended.resolve();
    else onError(sqsError(queueUrl, "ReceiveMessage", "QueueUnavailable", cause));
  });
  consumer.start();

  return {
    busy: () => busy,
    failing: () => failures > 0,
    async stop() {
      stopping.abort();
      // A busy consumer is not aborted, since that would also stop the deletion of handled messages.
      consumer.stop({ abort: !busy });
      if (consumer.status.isPolling) await ended.promise;
    },
  };
}
