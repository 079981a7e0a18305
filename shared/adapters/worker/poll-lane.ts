import { setTimeout as pause } from "node:timers/promises";
import type { Message, SQSClient } from "@aws-sdk/client-sqs";
import { Consumer } from "sqs-consumer";
import { sqsTrouble } from "../sqs/sqs-trouble.ts";

export type LaneOptions = Readonly<{
  sqs: SQSClient;
  queueUrl: string;
  batchSize: number;
  /** Answers the messages to delete. Must not throw. */
  handle: (messages: Message[]) => Promise<Message[]>;
  onError: (error: unknown) => void;
}>;

export type Lane = Readonly<{
  busy(): boolean;
  /** True while the queue does not answer. */
  failing(): boolean;
  stop(): Promise<void>;
}>;

const longPollSeconds = 20;
const longestPauseMs = 10_000;

/** One poller: receives a batch, has it handled, deletes what is done, and only then receives again. */
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
    // By itself the consumer asks a server that is down again at once.
    preReceiveMessageCallback: async () => {
      if (failures === 0) return;
      const pauseMs = Math.min(longestPauseMs, 125 * 2 ** failures);
      await pause(pauseMs, undefined, { signal: stopping.signal });
    },
    handleMessageBatch: async (messages) => {
      // Received while the lane was being stopped: they come again after the visibility timeout.
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
    // With messages it is about deleting them, and `response_processed` follows.
    if (messages) {
      onError(sqsTrouble(queueUrl, "DeleteMessageBatch", "QueueUnavailable", cause));
      return;
    }
    failures++;
    if (stopping.signal.aborted) ended.resolve();
    else onError(sqsTrouble(queueUrl, "ReceiveMessage", "QueueUnavailable", cause));
  });
  consumer.start();

  return {
    busy: () => busy,
    failing: () => failures > 0,
    async stop() {
      stopping.abort();
      // The consumer's abort would also end the deletion of a batch that has just been handled.
      consumer.stop({ abort: !busy });
      if (consumer.status.isPolling) await ended.promise;
    },
  };
}
