import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { startFauxqs } from "fauxqs";
import { describe, expect, onTestFinished, test } from "vitest";
import { because } from "../../../test/support/setup/skipped-tests.ts";
import { temporaryFolder } from "../../../test/support/setup/temporary-folder.ts";
import { ensureQueue } from "../sqs/ensure-queue.ts";
import { sqsClient, sqsQueue } from "../sqs/sqs-queue.ts";
import { keepReceiveCounts, onLoopback } from "./fauxqs-patches.ts";

async function stopAtEnd(server: ReturnType<typeof startFauxqs>): ReturnType<typeof startFauxqs> {
  const started = await server;
  onTestFinished(() => started.stop());
  return started;
}

const patched = async (start: typeof startFauxqs) => (await onLoopback(start)).server;

describe.skipIf(process.platform !== "linux")(
  "the address that fauxqs listens on",
  because("only Linux gives every address of 127.0.0.0/8 to the loopback interface"),
  () => {
    /** A server on all interfaces listens on every address of the loopback network. */
    async function connectElsewhere(port: number): Promise<string> {
      const socket = connect(port, "127.0.0.2");
      const failed = once(socket, "error").then(([error]) => error.code);
      const result = await Promise.race([once(socket, "connect").then(() => "connected"), failed]);
      socket.destroy();
      return result;
    }
    const options = { port: 0, host: "127.0.0.1", logger: false };

    // If this fails, fauxqs has a way to listen on one interface: use that, and remove the patch.
    test("When fauxqs is started as it is, it should listen on every interface", async () => {
      const { port } = await stopAtEnd(startFauxqs(options));
      expect(await connectElsewhere(port)).toBe("connected");
    });

    test("When the patch has no effect, the server should be stopped again", async () => {
      const server = await stopAtEnd(startFauxqs(options));
      await expect(onLoopback(async () => server)).rejects.toThrow("not only on 127.0.0.1");
      expect(await connectElsewhere(server.port)).toBe("ECONNREFUSED");
    });
  },
);

describe("requests that web pages can make", () => {
  async function statusWith(start: typeof patched, headers: Readonly<Record<string, string>>) {
    const { port } = await stopAtEnd(start(() => startFauxqs({ port: 0, logger: false })));
    const body = JSON.stringify({ QueueName: "of-a-page" });
    const operation = {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "AmazonSQS.CreateQueue",
      authorization: "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/sqs/aws4_request",
    };
    const sent = request({ host: "127.0.0.1", port, method: "POST", headers: { ...operation, ...headers } });
    sent.end(body);
    const [response] = await once(sent, "response");
    response.resume();
    return response.statusCode;
  }

  // If this fails, fauxqs refuses them itself: remove the hook.
  test("When fauxqs is started as it is, it should accept them", async () => {
    expect(await statusWith((start) => start(), { host: "evil.example" })).toBe(200);
  });

  test.for([
    { title: "no Origin and loopback's address", headers: {}, status: 200 },
    { title: "localhost as its Host", headers: { host: "localhost:4566" }, status: 200 },
    { title: "the Host of a queue URL", headers: { host: "sqs.us-east-1.localhost:4566" }, status: 200 },
    { title: "another Host", headers: { host: "evil.example" }, status: 403 },
    { title: "a Host that begins with localhost", headers: { host: "localhost.evil.example" }, status: 403 },
    { title: "an Origin", headers: { origin: "https://evil.example" }, status: 403 },
    { title: "an opaque Origin", headers: { origin: "null" }, status: 403 },
    { title: "a browser's mark of another site", headers: { "sec-fetch-site": "cross-site" }, status: 403 },
  ])("When a request has $title, its status should be $status", async ({ headers, status }) => {
    expect(await statusWith(patched, headers)).toBe(status);
  });
});

describe("a message that is released at once, on a persistent folder", () => {
  async function released(patch: (dataDir: string) => void) {
    const dataDir = await temporaryFolder();
    const server = await stopAtEnd(patched(() => startFauxqs({ port: 0, logger: false, dataDir })));
    patch(dataDir);
    const credentials = { accessKeyId: "any", secretAccessKey: "any" };
    const client = sqsClient({ region: "us-east-1", endpoint: server.address, credentials });
    onTestFinished(() => client.destroy());
    await ensureQueue(client, "work", { maxReceiveCount: 10, visibilityTimeoutSeconds: 30 });
    const queue = sqsQueue(client, `${server.address}/000000000000/work`);
    await queue.send([{ body: "again" }]);
    const [message] = await queue.receive({ waitSeconds: 0 });
    const release = await queue.changeVisibility(message?.receiptHandle ?? "", 0).then(
      () => "accepted",
      () => "refused",
    );
    return { release, next: await queue.receive({ waitSeconds: 0 }) };
  }

  // If this fails, fauxqs releases messages itself: remove the trigger.
  test("When fauxqs is as it is, the request should fail and nobody should receive the message", async () => {
    expect(await released(() => undefined)).toEqual({ release: "refused", next: [] });
  });

  test("When its database has the trigger, the message should be received again, with its count", async () => {
    expect(await released(keepReceiveCounts)).toMatchObject({
      release: "accepted",
      next: [{ body: "again", receiveCount: 2 }],
    });
  });
});
