import middy from "@middy/core";
import type { Context, SQSRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { change } from "../../test/support/messages/handled-batch.ts";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { aRecord } from "../../test/support/messages/sqs-record.ts";
import { maxMessageBytes, messageBytes } from "../adapters/sqs/message-batches.ts";
import type { LogEntry } from "../ports/log.ts";
import { type OutgoingMessage, QueueError } from "../ports/queue.ts";
import { hubEventReader, type ReadBatch } from "./hub-event-reader.ts";

/** Sends records through the middleware; the inner handler asks for the redelivery of what it has read as "again". */
function aReader(rejects = false) {
  const sent: OutgoingMessage[] = [];
  const entries: LogEntry[] = [];
  const read: string[] = [];
  const deadLetters = sendingQueue("dead", async (messages) => {
    if (rejects) throw new Error("down");
    sent.push(...messages);
  });
  const log = (entry: LogEntry) => entries.push(entry);
  const handler = middy()
    .use(hubEventReader("mirror-config", { deadLetters, log }))
    .handler(async ({ messages }: ReadBatch) => {
      read.push(...messages.map(({ record }) => record.messageId));
      return read.filter((id) => id === "again");
    });
  const handle = (...Records: SQSRecord[]): Promise<unknown> =>
    Promise.resolve(handler({ Records, messages: [] }, {} as Context));
  return { handle, read, sent, entries };
}

test("When some messages can be read, the handler should get those, and its redeliveries stay", async () => {
  const { handle, read, sent } = aReader();
  expect(await handle(aRecord("a", change("x")), aRecord("b", "{"), aRecord("again", change("y")))).toEqual([
    "again",
  ]);
  expect(read).toEqual(["a", "again"]);
  expect(sent.map(({ body }) => body)).toEqual(["{"]);
});

test("When the dead-letter queue rejects a message, it should be redelivered, and the others be handled", async () => {
  const { handle, read, entries } = aReader(true);
  expect(await handle(aRecord("a", "no event"), aRecord("b", change("x")))).toEqual(["a"]);
  expect(read).toEqual(["b"]);
  expect(entries).toEqual([{ event: "failed", key: "a", error: expect.stringContaining("down") }]);
});

test("When a message has no room for the reason, it should be dead-lettered without it", async () => {
  const body = "x".repeat(maxMessageBytes);
  const sent: OutgoingMessage[] = [];
  const entries: LogEntry[] = [];
  const deadLetters = sendingQueue("dead", async (messages) => {
    if (messages.some((message) => messageBytes(message.body, message.attributes) > maxMessageBytes))
      throw new QueueError("TooLarge", "queue dead: message 1 of 1 is too large");
    sent.push(...messages);
  });
  const log = (entry: LogEntry) => entries.push(entry);
  const handler = middy()
    .use(hubEventReader("mirror-config", { deadLetters, log }))
    .handler(async (_: ReadBatch) => []);
  expect(await handler({ Records: [aRecord("a", body)], messages: [] }, {} as Context)).toEqual([]);
  expect(sent).toEqual([{ body }]);
  expect(entries).toMatchObject([{ event: "dead-lettered", messageId: "a" }]);
});
