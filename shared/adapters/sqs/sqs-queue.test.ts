import { hash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { type ScriptedResponse, scriptedServer } from "../../../test/support/servers/scripted-server.ts";
import type { Queue } from "../../ports/queue.ts";
import { sqsClient, sqsQueue } from "./sqs-queue.ts";

const headers = { "content-type": "application/x-amz-json-1.0" };
const md5 = (text: string) => hash("md5", text);

/** The server's response to a batch of which it accepted these messages and failed those. */
function batchResponse(
  taken: Readonly<Record<string, string>>,
  failed: readonly string[] = [],
): ScriptedResponse {
  return {
    headers,
    body: JSON.stringify({
      Successful: Object.entries(taken).map(([Id, body]) => ({
        Id,
        MessageId: `m-${Id}`,
        MD5OfMessageBody: md5(body),
      })),
      Failed: failed.map((Id) => ({ Id, Code: "AWS.SimpleQueueService.InternalError", SenderFault: false })),
    }),
  };
}

function errorResponse(status: number, type: string, message = "no", queryError = ""): ScriptedResponse {
  return {
    status,
    headers: { ...headers, ...(queryError ? { "x-amzn-query-error": `${queryError};Sender` } : {}) },
    body: JSON.stringify({ __type: type, message }),
  };
}

function queueAt(endpoint: string): Queue {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = sqsClient({ region: "eu-central-1", endpoint, credentials });
  onTestFinished(() => client.destroy());
  return sqsQueue(client, `${endpoint}/000000000000/work`);
}

async function scripted(...responses: readonly ScriptedResponse[]) {
  const server = await scriptedServer(...responses);
  return { queue: queueAt(server.endpoint), requests: server.requests };
}

const bodiesIn = (request = "") =>
  JSON.parse(request).Entries.map(({ MessageBody }: { MessageBody: string }) => MessageBody);
const three = ["a", "b", "c"].map((body) => ({ body }));

test("When the server accepted only some messages, it should send the others once more", async () => {
  const { queue, requests } = await scripted(
    batchResponse({ 0: "a", 2: "c" }, ["1"]),
    batchResponse({ 1: "b" }),
  );
  await queue.send(three);
  expect(requests.map(bodiesIn)).toEqual([["a", "b", "c"], ["b"]]);
});

test("When a message is rejected twice, it should fail with the server's code", async () => {
  const { queue, requests } = await scripted(
    batchResponse({ 0: "a" }, ["1", "2"]),
    batchResponse({ 2: "c" }, ["1"]),
  );
  await expect(queue.send(three)).rejects.toMatchObject({
    code: "SendFailed",
    message: "queue work: 1 of 3 messages not accepted: InternalError",
  });
  expect(requests).toHaveLength(2);
});

test("When a response does not mention a message, it should not count as sent", async () => {
  const { queue } = await scripted(batchResponse({ 0: "a", 1: "b" }));
  await expect(queue.send(three)).rejects.toMatchObject({
    message: "queue work: 1 of 3 messages not accepted: NotConfirmed",
  });
});

test("When batches fail, it should start no more, and send each of the others twice", async () => {
  const { queue, requests } = await scripted(batchResponse({}, []));
  await expect(queue.send(Array.from({ length: 100 }, () => ({ body: "x" })))).rejects.toMatchObject({
    code: "SendFailed",
  });
  expect(requests.map((request) => bodiesIn(request).length)).toEqual(Array.from({ length: 8 }, () => 10));
});

test("When a message could not be deleted, it should retry once and then throw", async () => {
  const { queue, requests } = await scripted(batchResponse({ 0: "" }, ["1"]));
  await expect(queue.delete(["h-0", "h-1"])).rejects.toMatchObject({
    code: "QueueUnavailable",
    message: "queue work: 1 of 2 messages not deleted: InternalError",
  });
  expect(requests).toHaveLength(2);
});

test.for([
  ["AWS", "com.amazonaws.sqs#QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"],
  ["a server without a namespace", "QueueDoesNotExist", ""],
  ["a server that has only the older name", "AWS.SimpleQueueService.NonExistentQueue", ""],
] as const)("When $0 reports a missing queue, it should be QueueMissing", async ([, type, queryError]) => {
  const { queue } = await scripted(
    errorResponse(400, type, "The specified queue does not exist.", queryError),
  );
  await expect(queue.depth()).rejects.toMatchObject({ name: "QueueError", code: "QueueMissing" });
  await expect(queue.send(three)).rejects.toMatchObject({ name: "QueueError", code: "QueueMissing" });
});

test("When the server is busy for a moment, it should retry", async () => {
  const busy = errorResponse(503, "ServiceUnavailable");
  const { queue } = await scripted(busy, { headers, body: JSON.stringify({ Attributes: {} }) });
  expect(await queue.depth()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
});

test("When the server stays busy, it should give up with QueueUnavailable", async () => {
  const { queue, requests } = await scripted(errorResponse(503, "ServiceUnavailable", "busy"));
  await expect(queue.receive({ waitSeconds: 0 })).rejects.toMatchObject({
    code: "QueueUnavailable",
    message: "queue work: ReceiveMessage failed: ServiceUnavailable: busy",
  });
  expect(requests).toHaveLength(3);
});
