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

/** SQS delays a message by at most this long; a later requeue takes several hops. */
const maxDelaySeconds = 900;

/** Returns 2, 4, 8 … seconds by how often the message was received, or the hub's Retry-After if that is longer. */
function backOffSeconds(records: readonly SQSRecord[], error: unknown): number {
  const attempts = Math.max(...records.map(attemptOf));
  const retryAfter =
    error instanceof Error && "retryAfterSeconds" in error ? Number(error.retryAfterSeconds ?? 0) : 0;
  return Math.min(maxDelaySeconds, Math.max(2 ** Math.min(attempts, 10), retryAfter));
}

function attributeOf({ messageAttributes }: SQSRecord, name: string): string | undefined {
  return messageAttributes[name]?.stringValue;
}

/** Returns how often the message was received, or how often the topic has rejected its outcomes. */
function attemptOf(record: SQSRecord): number {
  const rejected = Number(attributeOf(record, unpublishedAttributes.attempt)) || 1;
  return Math.max(rejected, Number(record.attributes.ApproximateReceiveCount) || 1);
}

/** About a day of retries: then the messages end in the dead-letter queue, where they are seen. */
const maxRejections = 100;

type ParsedRecord = Readonly<{ record: SQSRecord; key: string; hint: HubEvent }>;

/** Adds the id of the triggering event to everything that one reconcile logs. */
function correlated(ports: Ports, correlationId: string): Ports {
  return { ...ports, log: (entry) => ports.log({ ...entry, correlationId }), correlationId };
}

function sentAt({ attributes }: SQSRecord): number {
  return Number(attributes.SentTimestamp);
}

/** Clocks differ, and the times on the hub have whole seconds. */
const clockSkewMs = 60_000;

/**
 * Returns since when the object may have been written without its outcome: when the message was first sent. Undefined
 * for a message that is received for the first time.
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
 * The Lambda handler of a controller: an SQS batch of hub events in, the messages to redeliver out. One reconcile per
 * key and batch however many messages name it; a failure affects only its own messages. A message that can never be
 * read goes to the dead-letter queue at once, with the reason as its attribute.
 */
export function hubEventHandler(controller: Controller, ports: Ports) {
  const { queue, deadLetters, log } = ports;
  const outcomes = owedOutcomes(ports.outcomes);
  const own = ownWrites();

  /** Returns undefined when the record needs no reconcile, and its message is done. */
  const parse = async (record: SQSRecord): Promise<ParsedRecord | undefined> => {
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
    const reason = isEcho ? `written by ${controller.name} itself` : `not relevant to ${controller.name}`;
    log({ event: "event-ignored", type, subject, reason, correlationId: ids.correlationId });
    return undefined;
  };

  /** Reconciles one key; returns the ids of its messages when they must be received again. */
  const reconcileKey = async (
    key: string,
    parsedRecords: readonly ParsedRecord[],
  ): Promise<readonly string[]> => {
    const started = ports.now().getTime();
    // Of several events for one key the first gives its id to the outcomes.
    const [correlationId = "", ...others] = parsedRecords.map(({ hint }) => hint.correlationId);
    const joined = [...new Set(others)].filter((id) => id !== correlationId);
    const keyPorts = correlated({ ...ports, outcomes }, correlationId);
    const records = parsedRecords.map(({ record }) => record);
    try {
      const hints = parsedRecords.map(({ hint }) => hint);
      const since = repeatedSince(records);
      const { plan, failed, written, unpublished } = await reconcile(controller, key, keyPorts, hints, since);
      // After a rejected write something is left to do: then events of its neighbours must not be skipped.
      if (failed.length === 0)
        for (const reference of written) if (controller.mapToKey(reference) === key) own.note(reference);
      if (plan.requeueAt) await requeue(key, records, plan.requeueAt, keyPorts);
      const ended = ports.now().getTime();
      keyPorts.log({
        event: "reconciled",
        key,
        messages: records.length,
        durationMs: ended - started,
        ageMs: ended - Math.min(...records.map(sentAt)),
        ...(joined.length > 0 ? { joined } : {}),
      });
      if (unpublished && !(await publishLater(key, records, unpublished, keyPorts)))
        return records.map(({ messageId }) => messageId);
      return await postponeParts(key, parsedRecords, failed, keyPorts);
    } catch (error) {
      await postpone(key, records, error, keyPorts);
      return records.map(({ messageId }) => messageId);
    }
  };

  /**
   * Requeues the key until the topic accepts its outcomes: as a new message, because a redelivered one reaches the
   * dead-letter queue long before an hour has passed. Returns false when the messages themselves must be redelivered.
   */
  const publishLater = async (
    key: string,
    records: readonly SQSRecord[],
    error: unknown,
    keyPorts: Ports,
  ): Promise<boolean> => {
    const attempt = Math.max(...records.map(attemptOf));
    const [record] = records;
    if (!record || !isRetryable(error) || attempt >= maxRejections) {
      await postpone(key, records, error, keyPorts);
      return false;
    }
    const since = repeatedSince(records)?.getTime() ?? Number.POSITIVE_INFINITY;
    const attributes = {
      [unpublishedAttributes.attempt]: String(attempt + 1),
      [unpublishedAttributes.since]: new Date(Math.min(since, ...records.map(sentAt))).toISOString(),
    };
    const delaySeconds = backOffSeconds(records, error);
    await queue.send([{ body: record.body, attributes, delaySeconds }]);
    keyPorts.log({ event: "retry", key, error: describeError(error), delaySeconds, attempt });
    return true;
  };

  /** Independent parsedRecords and writes that failed postpone only the messages about their object. */
  const postponeParts = async (
    key: string,
    parsedRecords: readonly ParsedRecord[],
    failed: readonly FailedPart[],
    keyPorts: Ports,
  ): Promise<readonly string[]> => {
    const again = new Map<string, unknown>();
    for (const { object, error } of failed)
      for (const { record, hint } of parsedRecords)
        if (controller.isAbout?.(hint, object)) again.set(record.messageId, error);
    const records = parsedRecords.map(({ record }) => record).filter(({ messageId }) => again.has(messageId));
    await Promise.all(
      records.map((record) => postpone(key, [record], again.get(record.messageId), keyPorts)),
    );
    return records.map(({ messageId }) => messageId);
  };

  const requeue = async (
    key: string,
    [record]: readonly SQSRecord[],
    at: Date,
    { log: logEntry }: Ports,
  ): Promise<void> => {
    if (!record) return;
    const seconds = Math.ceil((at.getTime() - ports.now().getTime()) / 1000);
    const delaySeconds = Math.min(maxDelaySeconds, Math.max(1, seconds));
    await queue.send([{ body: record.body, delaySeconds }]);
    logEntry({ event: "requeued", key, delaySeconds });
  };

  /** Retryable errors back off with growing pauses, other errors at the queue's own pace. */
  const postpone = async (
    key: string,
    records: readonly SQSRecord[],
    error: unknown,
    { log: logEntry }: Ports,
  ): Promise<void> => {
    if (!isRetryable(error)) {
      logEntry({ event: "failed", key, error: describeError(error) });
      return;
    }
    const delaySeconds = backOffSeconds(records, error);
    const attempt = Math.max(...records.map(attemptOf));
    logEntry({ event: "retry", key, error: describeError(error), delaySeconds, attempt });
    const hidden = await Promise.allSettled(
      records.map(({ receiptHandle }) => queue.changeVisibility(receiptHandle, delaySeconds)),
    );
    for (const result of hidden)
      if (result.status === "rejected")
        logEntry({ event: "failed", key, error: describeError(result.reason) });
  };

  return middy<SQSEvent, SQSBatchResponse>().handler(async ({ Records }) => {
    const failed: string[] = [];
    const parsedRecords: ParsedRecord[] = [];
    for (const record of Records) {
      try {
        const parsed = await parse(record);
        if (parsed) parsedRecords.push(parsed);
      } catch (error) {
        log({ event: "failed", key: record.messageId, error: describeError(error) });
        failed.push(record.messageId);
      }
    }
    const byKey = Map.groupBy(parsedRecords, ({ key }) => key);
    for (const ids of await Promise.all([...byKey].map(([key, some]) => reconcileKey(key, some))))
      failed.push(...ids);
    log({ event: "handled", messages: Records.length, failed: failed.length });
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  });
}
