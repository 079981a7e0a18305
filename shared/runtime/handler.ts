import middy from "@middy/core";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { deadLetterAttributes } from "../domain/events/dead-letter.ts";
import { type HubEvent, parseHubEvent } from "../domain/events/hub-event.ts";
import { unpublishedAttributes } from "../domain/events/unpublished.ts";
import type { FailedPart } from "../domain/plan/plan.ts";
import type { Ports } from "../ports/ports.ts";
import type { Controller } from "./controller.ts";
import { describeError } from "./describe-error.ts";
import { isRetryable } from "./is-retryable.ts";
import { owedOutcomes } from "./owed-outcomes.ts";
import { ownWrites } from "./own-writes.ts";
import { reconcile } from "./reconcile.ts";

/** SQS delays a message by at most this long; a later second look goes there in hops. */
const longestDelaySeconds = 900;

/** 2, 4, 8 … seconds by how often the message has come already, or what the hub asked for if that is longer. */
function backOffSeconds(records: readonly SQSRecord[], error: unknown): number {
  const attempts = Math.max(...records.map(attemptOf));
  const asked =
    error instanceof Error && "retryAfterSeconds" in error ? Number(error.retryAfterSeconds ?? 0) : 0;
  return Math.min(longestDelaySeconds, Math.max(2 ** Math.min(attempts, 10), asked));
}

function attributeOf({ messageAttributes }: SQSRecord, name: string): string | undefined {
  return messageAttributes[name]?.stringValue;
}

/** How often the message has come, or how often the topic has refused what it is about. */
function attemptOf(record: SQSRecord): number {
  const refused = Number(attributeOf(record, unpublishedAttributes.attempt)) || 1;
  return Math.max(refused, Number(record.attributes.ApproximateReceiveCount) || 1);
}

/** About a day of pauses: then the messages end in the dead-letter queue, where somebody sees them. */
const mostRefusals = 100;

/** A message with what was read from it. */
type Read = Readonly<{ record: SQSRecord; key: string; hint: HubEvent }>;

/** The ports of one reconcile: all that it tells carries the id of the event that led to it. */
function correlated(ports: Ports, correlationId: string): Ports {
  return { ...ports, log: (entry) => ports.log({ ...entry, correlationId }), correlationId };
}

function sentAt({ attributes }: SQSRecord): number {
  return Number(attributes.SentTimestamp);
}

/** Clocks differ, and the times on the hub have whole seconds. */
const clockSkewMs = 60_000;

/**
 * Since when what a message is about may have been written without its outcome: when it was first sent. Undefined for
 * one that comes for the first time.
 */
function repeatedSince(records: readonly SQSRecord[]): Date | undefined {
  const times = records.flatMap((record): number[] => {
    if (attributeOf(record, deadLetterAttributes.replayed)) return [0];
    const unpublished = attributeOf(record, unpublishedAttributes.since);
    if (unpublished) return [Date.parse(unpublished) || 0];
    return attemptOf(record) > 1 ? [sentAt(record) || 0] : [];
  });
  return times.length > 0 ? new Date(Math.max(0, Math.min(...times) - clockSkewMs)) : undefined;
}

/**
 * The Lambda handler of a reaction: an SQS batch of hub events in, the messages to redeliver out. One reconcile
 * per key and batch however many messages name it; what fails takes only its own messages with it. A message
 * that can never be read goes to the dead-letter queue at once, with the reason as its attribute.
 */
export function hubEventHandler(controller: Controller, ports: Ports) {
  const { queue, deadLetters, log } = ports;
  const outcomes = owedOutcomes(ports.outcomes);
  const own = ownWrites();

  /** What a record tells; undefined when it needs no reconcile, and its message is done. */
  const read = async (record: SQSRecord): Promise<Read | undefined> => {
    const { messageId, body } = record;
    const parsed = parseHubEvent(body);
    if (!parsed.ok) {
      const replayed = attributeOf(record, deadLetterAttributes.replayed);
      const attributes = {
        [deadLetterAttributes.reason]: parsed.reason,
        [deadLetterAttributes.function]: controller.name,
        [deadLetterAttributes.messageId]: messageId,
        ...(replayed ? { [deadLetterAttributes.replayed]: replayed } : {}),
      };
      await deadLetters.send([{ body, attributes }]);
      log({ event: "dead-lettered", messageId, reason: parsed.reason });
      return undefined;
    }
    const { event } = parsed;
    const { type, subject } = event;
    const ids =
      event.trigger === "object"
        ? { eventId: event.id, correlationId: event.correlationId }
        : { eventId: messageId, correlationId: messageId };
    log({ event: "event-received", type, subject, messageId, ...ids });
    const key = event.trigger === "object" ? controller.mapToKey(event.reference, event.feedback) : undefined;
    const isEcho = event.trigger === "object" && own.isEcho(event);
    if (key !== undefined && event.trigger === "object" && !isEcho) return { record, key, hint: event };
    const reason = isEcho
      ? `${controller.name} has written it itself`
      : `it does not concern ${controller.name}`;
    log({ event: "event-ignored", type, subject, reason, correlationId: ids.correlationId });
    return undefined;
  };

  /** Takes one key to its desired state; answers the ids of its messages when they must come again. */
  const settle = async (key: string, reads: readonly Read[]): Promise<readonly string[]> => {
    const started = ports.now().getTime();
    // Of several events for one thing the first lends its id to what they come to.
    const [correlationId = "", ...others] = reads.map(({ hint }) => hint.correlationId);
    const joined = [...new Set(others)].filter((id) => id !== correlationId);
    const tied = correlated({ ...ports, outcomes }, correlationId);
    const records = reads.map(({ record }) => record);
    try {
      const hints = reads.map(({ hint }) => hint);
      const since = repeatedSince(records);
      const { plan, failed, written, unpublished } = await reconcile(controller, key, tied, hints, since);
      // A write that was refused leaves something to do: then its neighbours' events are welcome.
      if (failed.length === 0)
        for (const reference of written) if (controller.mapToKey(reference) === key) own.note(reference);
      if (plan.requeueAt) await lookAgain(key, records, plan.requeueAt, tied);
      const ended = ports.now().getTime();
      tied.log({
        event: "reconciled",
        key,
        messages: records.length,
        durationMs: ended - started,
        ageMs: ended - Math.min(...records.map(sentAt)),
        ...(joined.length > 0 ? { joined } : {}),
      });
      if (unpublished && !(await publishLater(key, records, unpublished, tied)))
        return records.map(({ messageId }) => messageId);
      return await postponeParts(key, reads, failed, tied);
    } catch (error) {
      await postpone(key, records, error, tied);
      return records.map(({ messageId }) => messageId);
    }
  };

  /**
   * Has the key come back until the topic takes what is owed: as a new message, for one that comes again goes to the
   * dead-letter queue long before an hour of trouble has passed. False when the messages have to come again themselves.
   */
  const publishLater = async (
    key: string,
    records: readonly SQSRecord[],
    error: unknown,
    tied: Ports,
  ): Promise<boolean> => {
    const attempt = Math.max(...records.map(attemptOf));
    const [record] = records;
    if (!record || !isRetryable(error) || attempt >= mostRefusals) {
      await postpone(key, records, error, tied);
      return false;
    }
    const since = repeatedSince(records)?.getTime() ?? Number.POSITIVE_INFINITY;
    const attributes = {
      [unpublishedAttributes.attempt]: String(attempt + 1),
      [unpublishedAttributes.since]: new Date(Math.min(since, ...records.map(sentAt))).toISOString(),
    };
    const delaySeconds = backOffSeconds(records, error);
    await queue.send([{ body: record.body, attributes, delaySeconds }]);
    tied.log({ event: "retry", key, error: describeError(error), delaySeconds, attempt });
    return true;
  };

  /** Reads and writes that failed by themselves take only the messages with them that are about their object. */
  const postponeParts = async (
    key: string,
    reads: readonly Read[],
    failed: readonly FailedPart[],
    tied: Ports,
  ): Promise<readonly string[]> => {
    const again = new Map<string, unknown>();
    for (const { object, error } of failed)
      for (const { record, hint } of reads)
        if (controller.isAbout?.(hint, object)) again.set(record.messageId, error);
    const records = reads.map(({ record }) => record).filter(({ messageId }) => again.has(messageId));
    await Promise.all(records.map((record) => postpone(key, [record], again.get(record.messageId), tied)));
    return records.map(({ messageId }) => messageId);
  };

  const lookAgain = async (
    key: string,
    [record]: readonly SQSRecord[],
    at: Date,
    { log: tell }: Ports,
  ): Promise<void> => {
    if (!record) return;
    const seconds = Math.ceil((at.getTime() - ports.now().getTime()) / 1000);
    const delaySeconds = Math.min(longestDelaySeconds, Math.max(1, seconds));
    await queue.send([{ body: record.body, delaySeconds }]);
    tell({ event: "requeued", key, delaySeconds });
  };

  /** Trouble that time heals comes back with growing pauses, anything else at the queue's own pace. */
  const postpone = async (
    key: string,
    records: readonly SQSRecord[],
    error: unknown,
    { log: tell }: Ports,
  ): Promise<void> => {
    if (!isRetryable(error)) {
      tell({ event: "failed", key, error: describeError(error) });
      return;
    }
    const delaySeconds = backOffSeconds(records, error);
    const attempt = Math.max(...records.map(attemptOf));
    tell({ event: "retry", key, error: describeError(error), delaySeconds, attempt });
    const hidden = await Promise.allSettled(
      records.map(({ receiptHandle }) => queue.changeVisibility(receiptHandle, delaySeconds)),
    );
    for (const result of hidden)
      if (result.status === "rejected") tell({ event: "failed", key, error: describeError(result.reason) });
  };

  return middy<SQSEvent, SQSBatchResponse>().handler(async ({ Records }) => {
    const failed: string[] = [];
    const reads: Read[] = [];
    for (const record of Records) {
      try {
        const told = await read(record);
        if (told) reads.push(told);
      } catch (error) {
        log({ event: "failed", key: record.messageId, error: describeError(error) });
        failed.push(record.messageId);
      }
    }
    const byKey = Map.groupBy(reads, ({ key }) => key);
    for (const ids of await Promise.all([...byKey].map(([key, some]) => settle(key, some))))
      failed.push(...ids);
    log({ event: "handled", messages: Records.length, failed: failed.length });
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  });
}
