import { setTimeout as pause } from "node:timers/promises";
import type { Message, SQSClient } from "@aws-sdk/client-sqs";
import type { Context, SQSEvent } from "aws-lambda";
import { lambdaContext, lambdaEvent } from "../lambda/lambda-event.ts";
import { batchLimits } from "../sqs/message-batches.ts";
import { sqsQueue } from "../sqs/sqs-queue.ts";
import { queueNameOf } from "../sqs/sqs-trouble.ts";
import { readBatchResponse } from "./batch-response.ts";
import { batchWindow } from "./batch-window.ts";
import { startLane } from "./poll-lane.ts";

export type QueueWorkerOptions = Readonly<{
  sqs: SQSClient;
  queueUrl: string;
  /** Goes into the records; made from the URL and the client's region otherwise. */
  queueArn?: string;
  /** A Lambda handler. What it answers is read as Lambda reads it. */
  handler: (event: SQSEvent, context: Context) => Promise<unknown>;
  /** Batches that may be handled at the same time; 1 unless told otherwise. */
  concurrency?: number;
  /** Messages a batch at most, 10 unless told otherwise; more than 10 need a window, as on AWS. */
  batchSize?: number;
  /**
   * Whole seconds that a batch may wait to fill up after its first message was sent, and as long again while more is
   * there; 0 unless told otherwise.
   */
  batchWindowSeconds?: number;
  /** A handler that takes longer counts as failed, though nothing can end it; 30 unless told otherwise. */
  timeoutSeconds?: number;
  /** Trouble with the queue, and handlers that throw or answer what nobody understands. The worker goes on. */
  onError: (error: unknown) => void;
}>;

export type QueueWorker = Readonly<{
  /** True while no batch is being handled. A message may still be on its way: look at the queue's depth, too. */
  idle(): boolean;
  /** True while the queue does not answer; the worker asks again by itself. */
  failing(): boolean;
  /** Receives nothing more, and resolves when the batches that are being handled are done and deleted. */
  stop(): Promise<void>;
}>;

/** A function's wishes for its batches, as options of its worker. */
export function batchOptions({
  batch,
  timeoutSeconds,
}: Readonly<{
  batch?: Readonly<{ size: number; windowSeconds: number }>;
  timeoutSeconds?: number;
}>): Pick<QueueWorkerOptions, "batchSize" | "batchWindowSeconds" | "timeoutSeconds"> {
  return {
    ...(batch ? { batchSize: batch.size, batchWindowSeconds: batch.windowSeconds } : {}),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
}

/** What SQS hands out, and takes back, in one request. */
const atOnce = batchLimits.entries;

async function withinSeconds<WatchResponder>(
  work: Promise<WatchResponder>,
  seconds: number,
): Promise<WatchResponder> {
  const timer = new AbortController();
  const expiry = pause(seconds * 1000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no answer within ${seconds} s`);
  });
  try {
    return await Promise.race([work, expiry]);
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
 * Calls a handler with a queue's messages as Lambda's event source mapping does, partial batch responses
 * included: what the handler does not name as failed is deleted, the rest comes again after the visibility
 * timeout. A handler that throws, or whose answer is malformed, keeps its whole batch.
 *
 * A long poll is cut off when the worker stops. Messages that the server was handing over at that moment come
 * again after their visibility timeout, with a receive counted.
 */
export function startQueueWorker({
  sqs,
  queueUrl,
  queueArn,
  handler,
  concurrency = 1,
  batchSize = 10,
  batchWindowSeconds = 0,
  timeoutSeconds = 30,
  onError,
}: QueueWorkerOptions): QueueWorker {
  const name = queueNameOf(queueUrl);
  const stopping = new AbortController();
  const filled = batchWindow({
    sqs,
    queueUrl,
    batchSize,
    windowSeconds: batchWindowSeconds,
    signal: stopping.signal,
    onError,
  });

  const handle = async (first: readonly Message[]): Promise<Message[]> => {
    try {
      const messages = await filled(first);
      const arn = queueArn ?? (await arnOf(sqs, queueUrl));
      const context = lambdaContext(name, arn, Date.now() + timeoutSeconds * 1000);
      const response = await withinSeconds(handler(lambdaEvent(messages, arn), context), timeoutSeconds);
      const outcome = readBatchResponse(
        response,
        messages.map(({ MessageId = "" }) => MessageId),
      );
      if (!outcome.complete) throw new Error(outcome.reason);
      const done = messages.filter(({ MessageId = "" }) => !outcome.failed.has(MessageId));
      await deleteBeyond(done.slice(atOnce));
      return done.slice(0, atOnce);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      onError(new Error(`queue ${name}: a batch failed and comes again: ${reason}`, { cause: error }));
      return [];
    }
  };

  /** The lane deletes one request's worth; the rest is deleted here. What fails comes again, as after a crash. */
  const deleteBeyond = async (messages: readonly Message[]): Promise<void> => {
    const handles = messages.flatMap(({ ReceiptHandle }) => (ReceiptHandle ? [ReceiptHandle] : []));
    try {
      await sqsQueue(sqs, queueUrl).delete(handles);
    } catch (error) {
      onError(error);
    }
  };

  const lanes = Array.from({ length: concurrency }, () =>
    startLane({ sqs, queueUrl, batchSize: Math.min(atOnce, batchSize), handle, onError }),
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
