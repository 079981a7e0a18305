import type { SQSRecord } from "aws-lambda";
import { ownValue } from "../domain/kubernetes/json/values.ts";
import { isRefused } from "../ports/hub.ts";
import { describeError, isRetryable, PortError } from "../ports/port-error.ts";
import type { Ports } from "../ports/ports.ts";
import { dueAttribute } from "../ports/queue.ts";

/** Attributes of a message that a function sends to its own queue because the topic has rejected outcomes. */
const unpublishedAttributes = {
  attempt: "hubrelay.unpublished",
  /** The time since which the outcomes are unpublished, in ISO format. */
  since: "hubrelay.unpublishedSince",
} as const;

/** Returns the message attribute which says that outcomes since this time may be unpublished. */
export const owedSinceAttributes = (since: Date): Readonly<Record<string, string>> => ({
  [unpublishedAttributes.since]: since.toISOString(),
});

/** The maximum delay that SQS permits. */
const maxDelaySeconds = 900;
/** After this number of rejections, which takes about a day, the message goes to the dead-letter queue. */
const maxRejections = 100;
/** The tolerated error when times are compared: clocks differ, and the hub stores times as whole seconds. */
const clockSkewMs = 60_000;

export function attributeOf({ messageAttributes }: SQSRecord, name: string): string | undefined {
  return ownValue(messageAttributes, name)?.stringValue;
}

/** Returns when a message was sent, in ms since the epoch; NaN if the queue does not report the time. */
function sentAt({ attributes }: SQSRecord): number {
  return Number(attributes.SentTimestamp);
}

/** Returns when the message was due, in ms since the epoch: when it was sent, plus the requested delay. */
export function dueAt(record: SQSRecord): number {
  const sent = sentAt(record);
  const due = Date.parse(attributeOf(record, dueAttribute) ?? "");
  // A dead letter that was moved back keeps the attribute. So its due time may be before the time at which it was sent.
  return due > sent ? Math.min(due, sent + maxDelaySeconds * 1000) : sent;
}

function attemptOf(record: SQSRecord): number {
  const rejected = Number(attributeOf(record, unpublishedAttributes.attempt)) || 1;
  return Math.max(rejected, Number(record.attributes.ApproximateReceiveCount) || 1);
}

const attemptsOf = (records: readonly SQSRecord[]) => Math.max(...records.map(attemptOf));

function backOffSeconds(records: readonly SQSRecord[], error: unknown): number {
  const retryAfter = error instanceof PortError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.min(maxDelaySeconds, Math.max(2 ** Math.min(attemptsOf(records), 10), retryAfter));
}

/** Returns the time since which outcomes of the messages' key may be unpublished. Undefined if there is none. */
export function repeatedSince(records: readonly SQSRecord[]): Date | undefined {
  const times = records.flatMap((record): number[] => {
    const unpublished = attributeOf(record, unpublishedAttributes.since);
    if (unpublished) return [Date.parse(unpublished) || 0];
    return attemptOf(record) > 1 ? [sentAt(record) || 0] : [];
  });
  return times.length > 0 ? new Date(Math.max(0, Math.min(...times) - clockSkewMs)) : undefined;
}

type DeliveryPorts = Pick<Ports, "queue" | "log" | "now" | "onRefused">;

/** Delays the redelivery of messages after a retryable error. The delay grows with each attempt. */
export async function postpone(
  key: string,
  records: readonly SQSRecord[],
  error: unknown,
  { queue, log, onRefused }: DeliveryPorts,
): Promise<void> {
  if (isRefused(error)) {
    const messageIds = records.map(({ messageId }) => messageId);
    onRefused?.(messageIds, error);
  }
  if (!isRetryable(error)) {
    log({ event: "failed", key, error: describeError(error) });
    return;
  }
  const delaySeconds = backOffSeconds(records, error);
  log({ event: "retry", key, error: describeError(error), delaySeconds, attempt: attemptsOf(records) });
  const hidden = await Promise.allSettled(
    records.map(({ receiptHandle }) => queue.changeVisibility(receiptHandle, delaySeconds)),
  );
  for (const result of hidden)
    if (result.status === "rejected") log({ event: "failed", key, error: describeError(result.reason) });
}

/**
 * Sends the first message of a key again, to arrive at `at`. Sends nothing if `at` is later than SQS permits: a resync
 * tick reconciles the key earlier, and each tick would start another chain of delayed messages.
 */
export async function requeue(
  key: string,
  [record]: readonly SQSRecord[],
  at: Date,
  { queue, log, now }: DeliveryPorts,
): Promise<void> {
  const delaySeconds = Math.max(1, Math.ceil((at.getTime() - now().getTime()) / 1000));
  if (!record || delaySeconds > maxDelaySeconds) return;
  await queue.send([{ body: record.body, delaySeconds }]);
  log({ event: "requeued", key, delaySeconds });
}

/**
 * Sends a new message for a key whose outcomes the topic rejected: with redeliveries, the old message would go to the
 * dead-letter queue in less than an hour. Returns false if it sent nothing: the old messages must then be redelivered.
 */
export async function publishLater(
  key: string,
  records: readonly SQSRecord[],
  error: unknown,
  ports: DeliveryPorts,
): Promise<boolean> {
  const attempt = attemptsOf(records);
  const [record] = records;
  if (!record || !isRetryable(error) || attempt >= maxRejections) {
    await postpone(key, records, error, ports);
    return false;
  }
  const since = repeatedSince(records)?.getTime() ?? Number.POSITIVE_INFINITY;
  const attributes = {
    [unpublishedAttributes.attempt]: String(attempt + 1),
    [unpublishedAttributes.since]: new Date(Math.min(since, ...records.map(sentAt))).toISOString(),
  };
  const delaySeconds = backOffSeconds(records, error);
  await ports.queue.send([{ body: record.body, attributes, delaySeconds }]);
  ports.log({ event: "retry", key, error: describeError(error), delaySeconds, attempt });
  return true;
}
