import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ListQueuesCommand } from "@aws-sdk/client-sqs";
import { expect, onTestFinished, test } from "vitest";
import { runUntil } from "../network/requests.ts";
import type { Environment } from "../settings/environment.ts";
import { sqsClient } from "../sqs/sqs-queue.ts";
import { awsConnection } from "./aws-connection.ts";

/** A proxy that returns an empty list of queues for http, and refuses every tunnel. */
async function aProxy() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.setHeader("content-type", "application/x-amz-json-1.0").end("{}");
  });
  server.on("connect", ({ url }, socket) => {
    requests.push(`CONNECT ${url}`);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests };
}

async function listQueues(endpoint: string, environment: Environment): Promise<void> {
  const connection = awsConnection({ AWS_REGION: "eu-central-1", ...environment });
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const client = sqsClient({ ...connection, endpoint, credentials });
  onTestFinished(() => client.destroy());
  await client.send(new ListQueuesCommand());
}

test("When HTTP_PROXY is set, a request to an http endpoint should go through it", async () => {
  const proxy = await aProxy();
  await listQueues("http://queues.invalid:9324", { HTTP_PROXY: proxy.url });
  expect(proxy.requests).toEqual(["POST http://queues.invalid:9324/"]);
});

test("When HTTPS_PROXY is set, a request to AWS should go through a tunnel of it", async () => {
  const proxy = await aProxy();
  await expect(listQueues("https://queues.invalid", { HTTPS_PROXY: proxy.url })).rejects.toThrow();
  expect(new Set(proxy.requests)).toEqual(new Set(["CONNECT queues.invalid:443"]));
});

test("When its batch is over, a running request should end, and no other be sent", async () => {
  const batch = new AbortController();
  const requests: unknown[] = [];
  const server = createServer((request) => {
    requests.push(request.url);
    batch.abort();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  await runUntil(batch.signal, async () => {
    for (let request = 0; request < 2; request++)
      await expect(listQueues(`http://127.0.0.1:${port}`, {})).rejects.toThrow("Request aborted");
  });
  expect(requests).toHaveLength(1);
});
