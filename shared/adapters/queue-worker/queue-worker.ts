import { setTimeout as pause } from "node:timers/promises";
import type { Message, SQSClient } from "@aws-sdk/client-sqs";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { messageOf } from "../../domain/text/error-text.ts";
import { type Batch, defaultTimeoutSeconds } from "../../runtime/controller.ts";
import { lambdaContext, lambdaEvent } from "../lambda/lambda-event.ts";
import { runUntil } from "../network/requests.ts";
import { queueNameOf } from "../settings/queue-urls.ts";
import { batchLimits } from "../sqs/message-batches.ts";
import { sqsQueue } from "../sqs/sqs-queue.ts";
import { batchWindow, startLane } from "./poll-lane.ts";

export type QueueWorkerOptions = Readonly<{
  sqs: SQSClient;
  queueUrl: string;
  /** A Lambda handler. Its response names the messages that must be received again. */
  handler: (event: SQSEvent, context: Context) => Promise<SQSBatchResponse | undefined>;
  /** The number of batches that are handled at the same time, by default 1. */
  concurrency?: number;
  /** By default 10 messages, without waiting for more. */
  batch?: Batch | undefined;
  /** The time limit of a handler, by default 30 seconds. After it the batch fails and its requests are aborted. */
  timeoutSeconds?: number | undefined;
  /** Called for errors of the queue and of handlers. The worker continues after an error. */
  onError: (error: unknown) => void;
}>;

export type QueueWorker = Readonly<{
  /** Reports whether no batch is being handled. The queue may still have messages that are being delivered. */
  idle(): boolean;
  failing(): boolean;
  /** Receives no more messages. Resolves when the batches in progress are handled and their messages deleted. */
  stop(): Promise<void>;
}>;

const maxPerRequest = batchLimits.entries;

/** Aborts the requests of failed work: a late request could overwrite the result of the next attempt. */
async function withinSeconds<Result>(work: () => Promise<Result>, seconds: number): Promise<Result> {
  const batch = new AbortController();
  const timer = new AbortController();
  const expiry = pause(seconds * 1000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no response within ${seconds} s`);
  });
  try {
    return await Promise.race([runUntil(batch.signal, work), expiry]);
  } catch (error) {
    batch.abort(new DOMException("the batch has failed or timed out", "TimeoutError"));
    throw error;
  } finally {
    timer.abort();
    expiry.catch(() => undefined);
  }
}

async function arnOf(sqs: SQSClient, queueUrl: string): Promise<string> {
  const [account = "", name = ""] = new URL(queueUrl).pathname.split("/").slice(-2);
  return `arn:aws:sqs:${await sqs.config.region()}:${account}:${name}`;
}

/**
 * Starts a worker that calls a handler with a queue's messages, as Lambda's event source mapping does. Failed messages
 * (all, if the handler throws) are received again after the visibility timeout; the others are deleted. Messages that
 * the server delivers while the worker stops are also received again, with one more receive counted.
 */
export function startQueueWorker({
  sqs,
  queueUrl,
  handler,
  concurrency = 1,
  batch: { size: batchSize, windowSeconds = 0 } = { size: maxPerRequest },
  timeoutSeconds = defaultTimeoutSeconds,
  onError,
}: QueueWorkerOptions): QueueWorker {
  const name = queueNameOf(queueUrl);
  const stopping = new AbortController();
  const filled = batchWindow({
    sqs,
    queueUrl,
    batchSize,
    windowSeconds,
    signal: stopping.signal,
    onError,
  });

  const handle = async (first: readonly Message[]): Promise<Message[]> => {
    try {
      const messages = await filled(first);
      const arn = await arnOf(sqs, queueUrl);
      const context = lambdaContext(name, arn, Date.now() + timeoutSeconds * 1000);
      const response = await withinSeconds(
        () => handler(lambdaEvent(messages, arn), context),
        timeoutSeconds,
      );
      const failed = new Set(response?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      const done = messages.filter(({ MessageId = "" }) => !failed.has(MessageId));
      await deleteRest(done.slice(maxPerRequest));
      return done.slice(0, maxPerRequest);
    } catch (error) {
      const reason = messageOf(error);
      onError(new Error(`queue ${name}: a batch failed and will be retried: ${reason}`, { cause: error }));
      return [];
    }
  };

  /** Deletes the messages of a batch that do not fit into one request. `startLane` deletes the others. */
  const deleteRest = async (messages: readonly Message[]): Promise<void> => {
    const handles = messages.flatMap(({ ReceiptHandle }) => (ReceiptHandle ? [ReceiptHandle] : []));
    try {
      await sqsQueue(sqs, queueUrl).delete(handles);
    } catch (error) {
      onError(error);
    }
  };

  const lanes = Array.from({ length: concurrency }, () =>
    startLane({ sqs, queueUrl, batchSize: Math.min(maxPerRequest, batchSize), handle, onError }),
  );
  return {
    idle: () => lanes.every((lane) => !lane.busy()),
    failing: () => lanes.some((lane) => lane.failing()),
    async stop() {
      stopping.abort();
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}
