import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import type { Queue, ReceivedMessage } from "#shared/ports/queue.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";

const child = fileURLToPath(new URL("../support/messages/embedded-messaging-child.ts", import.meta.url));

type Options = Parameters<typeof startEmbeddedMessaging>[0];

async function start(options: Partial<Options> = {}): Promise<EmbeddedMessaging> {
  const messaging = await startEmbeddedMessaging({ queues: ["work"], topic: "outcomes", ...options });
  onTestFinished(() => messaging.stop());
  return messaging;
}

/** Receives until the bodies suffice, or nothing has come for longer than messages stay in flight. */
async function receiveUntil(
  queue: Queue,
  suffice: (bodies: ReadonlySet<string>) => boolean,
): Promise<readonly ReceivedMessage[]> {
  const all: ReceivedMessage[] = [];
  while (!suffice(new Set(all.map(({ body }) => body)))) {
    const some = await queue.receive({ waitSeconds: 15 });
    if (some.length === 0) break;
    all.push(...some);
  }
  return all;
}

test("When it is started, it should have every queue with its dead-letter queue, and the topic", async () => {
  const messaging = await start({ queues: ["mirror-configs", "hosted-clusters"] });
  expect(messaging.topicArn).toBe("arn:aws:sns:us-east-1:000000000000:outcomes");
  for (const name of ["mirror-configs", "hosted-clusters"]) {
    expect(messaging.queue(name)).toMatchObject({ name, url: `${messaging.endpoint}/000000000000/${name}` });
    expect(messaging.deadLetters(name).name).toBe(`${name}-dead-letters`);
    expect(await messaging.deadLetters(name).depth()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  }
  expect(() => messaging.queue("mirror-config")).toThrow(
    "there is no queue mirror-config, only mirror-configs, hosted-clusters",
  );
});

test.skipIf(process.platform !== "linux")(
  "When it listens, it should listen on 127.0.0.1 only",
  because("only Linux gives every address of 127.0.0.0/8 to the loopback interface"),
  async () => {
    const { endpoint } = await start();
    const { hostname, port } = new URL(endpoint);
    expect(hostname).toBe("127.0.0.1");
    // A server on all interfaces listens on every address of the loopback network.
    const elsewhere = connect(Number(port), "127.0.0.2");
    onTestFinished(() => {
      elsewhere.destroy();
    });
    const [error] = await once(elsewhere, "error");
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
  },
);

test("When it is stopped and started on its folder, it should have the messages, including delayed ones", async () => {
  const dataDir = await temporaryFolder();
  const before = await start({ dataDir });
  await before.queue("work").send([
    { body: "now", attributes: { a: "1" } },
    { body: "later", delaySeconds: 1 },
  ]);
  await before.stop();
  await before.stop();

  const after = await start({ dataDir, queues: ["work", "more"], maxReceiveCount: 3 });
  const messages = await receiveUntil(after.queue("work"), ({ size }) => size === 2);
  expect(messages).toMatchObject([{ body: "now", attributes: { a: "1" } }, { body: "later" }]);
  expect(await after.queue("more").receive({ waitSeconds: 0 })).toEqual([]);
});

test("When it stops during a long poll, it should end the poll", async () => {
  const messaging = await start();
  const other = (await start()).queue("work");
  const poll = (queue: typeof other, is: string) => queue.receive({ waitSeconds: 20 }).then(() => is);
  const last = poll(other, "an equal poll of another server");
  const ended = poll(messaging.queue("work"), "its poll");
  await messaging.queue("work").depth();
  await messaging.stop();
  expect(await Promise.race([last, ended])).toBe("its poll");
  await other.send([{ body: "ends the other poll" }]);
  await last;
});

// AWS accepts such bodies and this server does not; when this test fails, the contract suite can require it of every
// engine.
test("When a body has a character beyond the basic plane, it should be refused with a reason", async () => {
  const messaging = await start();
  await expect(messaging.queue("work").send([{ body: "🚀" }, { body: "fine" }])).rejects.toMatchObject({
    code: "SendFailed",
    message: "queue work: 1 of 2 messages not accepted: InvalidMessageContents",
  });
  expect(await messaging.queue("work").receive({ waitSeconds: 0 })).toMatchObject([{ body: "fine" }]);
});

type Child = ChildProcessByStdio<Writable, Readable, null>;

async function startChild(
  dataDir: string,
): Promise<Readonly<{ process: Child; lines: AsyncIterator<string> }>> {
  const running = spawn(process.execPath, [child, dataDir], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => {
    running.kill("SIGKILL");
  });
  const lines = createInterface({ input: running.stdout })[Symbol.asyncIterator]();
  return { process: running, lines };
}

test("When its process is killed with messages in flight, it should lose no confirmed message", async () => {
  const dataDir = await temporaryFolder();
  const { process: killed, lines } = await startChild(dataDir);
  const first = await lines.next();
  const inFlight: readonly ReceivedMessage[] = JSON.parse(first.value).inFlight;
  expect(inFlight).toHaveLength(10);

  // Sends continuously, so that the kill happens during a request.
  const confirmed: string[] = [];
  for (let batch = 0; batch < 60; batch++) killed.stdin.write(`${batch}\n`);
  while (confirmed.length < 100) confirmed.push(...JSON.parse((await lines.next()).value).confirmed);
  killed.kill("SIGKILL");
  await once(killed, "exit");
  for (let rest = await lines.next(); !rest.done; rest = await lines.next())
    confirmed.push(...JSON.parse(rest.value).confirmed);

  const messaging = await start({ dataDir, visibilityTimeoutSeconds: 30 });
  const queue = messaging.queue("work");
  // A worker that finished meanwhile may still delete what it had received.
  const [done] = inFlight;
  await queue.delete([done?.receiptHandle ?? ""]);

  const early = Array.from({ length: 20 }, (_, index) => `early ${index}`).filter(
    (body) => body !== done?.body,
  );
  const expected = [...early, ...confirmed];
  const received = await receiveUntil(queue, (bodies) => expected.every((body) => bodies.has(body)));
  const bodies = received.map(({ body }) => body);
  expect(expected.filter((body) => !bodies.includes(body))).toEqual([]);
  expect(new Set(bodies).size).toBe(bodies.length);
  expect(bodies).not.toContain(done?.body);
  const again = inFlight
    .slice(1)
    .map(({ body }) => received.find((message) => message.body === body)?.receiveCount);
  expect(again).toEqual(again.map(() => 2));
});
