import { setTimeout as pause } from "node:timers/promises";
import type { Message, SQSClient } from "@aws-sdk/client-sqs";
import { Consumer } from "sqs-consumer";
import { sqsError } from "../sqs/sqs-errors.ts";

export type LaneOptions = Readonly<{
  sqs: SQSClient;
  queueUrl: string;
  batchSize: number;
  /** Returns the messages to delete. Must not throw. */
  handle: (messages: Message[]) => Promise<Message[]>;
  onError: (error: unknown) => void;
}>;

export type Lane = Readonly<{
  busy(): boolean;
  /** Reports whether requests to the queue currently fail. */
  failing(): boolean;
  stop(): Promise<void>;
}>;

const longPollSeconds = 20;
/** The longest pause between requests to a queue that does not respond. */
export const maxPauseMs = 10_000;

/** Starts one poller: receives a batch, has it handled, deletes what is done, and only then receives again. */
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
    // Without this the consumer retries a server that is down at once.
    preReceiveMessageCallback: async () => {
      if (failures === 0) return;
      const pauseMs = Math.min(maxPauseMs, 125 * 2 ** failures);
      await pause(pauseMs, undefined, { signal: stopping.signal });
    },
    handleMessageBatch: async (messages) => {
      // Received while the lane was stopping: visible again after the visibility timeout.
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
    // With messages the error is about deleting them, and `response_processed` follows.
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
      // The consumer's abort would also end the deletion of a batch that was just handled.
      consumer.stop({ abort: !busy });
      if (consumer.status.isPolling) await ended.promise;
    },
  };
}
