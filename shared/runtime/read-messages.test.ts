import type { SQSRecord } from "aws-lambda";
import { expect, test } from "vitest";
import { change } from "../../test/support/messages/handled-batch.ts";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { aRecord } from "../../test/support/messages/sqs-record.ts";
import { maxMessageBytes, messageBytes } from "../adapters/sqs/message-batches.ts";
import type { LogEntry } from "../ports/log.ts";
import { type OutgoingMessage, QueueError } from "../ports/queue.ts";
import { readMessages } from "./read-messages.ts";

function aReader(rejects = false) {
  const sent: OutgoingMessage[] = [];
  const entries: LogEntry[] = [];
  const deadLetters = sendingQueue("dead", async (messages) => {
    if (rejects) throw new Error("down");
    sent.push(...messages);
  });
  const log = (entry: LogEntry) => entries.push(entry);
  const read = async (...records: SQSRecord[]) => {
    const { messages, undelivered } = await readMessages("mirror-config", records, { deadLetters, log });
    return { read: messages.map(({ record }) => record.messageId), undelivered };
  };
  return { read, sent, entries };
}

test("When some messages can be read, those should be returned, and the others be dead letters", async () => {
  const { read, sent } = aReader();
  expect(await read(aRecord("a", change("x")), aRecord("b", "{"), aRecord("c", change("y")))).toEqual({
    read: ["a", "c"],
    undelivered: [],
  });
  expect(sent.map(({ body }) => body)).toEqual(["{"]);
});

test("When the dead-letter queue rejects a message, it should be undelivered, and the others be read", async () => {
  const { read, entries } = aReader(true);
  expect(await read(aRecord("a", "no event"), aRecord("b", change("x")))).toEqual({
    read: ["b"],
    undelivered: ["a"],
  });
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
  const read = await readMessages("mirror-config", [aRecord("a", body)], { deadLetters, log });
  expect(read).toEqual({ messages: [], undelivered: [] });
  expect(sent).toEqual([{ body }]);
  expect(entries).toMatchObject([{ event: "dead-lettered", messageId: "a" }]);
});
