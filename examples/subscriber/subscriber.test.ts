import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { SubscribeCommand } from "@aws-sdk/client-sns";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEmbeddedMessaging } from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { lambdaEvent } from "#shared/adapters/lambda/lambda-event.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, precacheSystem } from "../../test/support/precache/precache-system.ts";
import { temporaryFolder } from "../../test/support/setup/temporary-folder.ts";
import { ticketConsumer } from "./consumer.ts";
import { ticketHandler } from "./handler.ts";
import { fileTicketsOf } from "./lines.ts";
import { type TicketStore, ticketFolder } from "./ticket-store.ts";

const failing = ["sno2", "sno4", "sno5"];

/** Returns the outcomes of five clusters of which three fail, one of them by its deadline. */
async function outcomesOfANight(): Promise<readonly OutcomeEvent[]> {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1", "sno2", "sno3", "sno4", "sno5"], { timeout: 60 }));
  await system.settle();
  system.report(ended("succeeds"), ["sno1", "sno3"]);
  system.report(ended("fails"), ["sno2", "sno4"]);
  await system.settle();
  system.pass(2 * 3600);
  system.resync();
  await system.settle();
  return system.outcomes;
}
const outcomes = await outcomesOfANight();

const enveloped = (event: OutcomeEvent): string =>
  JSON.stringify({
    Type: "Notification",
    MessageId: event.id,
    TopicArn: "arn:aws:sns:eu-central-1:000000000000:outcomes",
    Message: JSON.stringify(event),
  });

let made = 0;
const eventOf = (bodies: readonly string[]): SQSEvent =>
  lambdaEvent(
    bodies.map((Body) => ({ Body, MessageId: `m${made++}`, ReceiptHandle: "r", Attributes: {} })),
    "arn:aws:sqs:eu-central-1:000000000000:tickets",
  );

async function ticketsIn(folder: string) {
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts.map((text) => JSON.parse(text));
}
const clustersIn = async (folder: string) => (await ticketsIn(folder)).map(({ cluster }) => cluster).sort();
const ignored = () => undefined;

function batches<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return items.length === 0 ? [] : [items.slice(0, size), ...batches(items.slice(size), size)];
}

describe("the Lambda function", () => {
  test("When every outcome is delivered twice, in any order and envelope, it should file one ticket for each failed cluster", async () => {
    const twice = outcomes.flatMap((event) => [JSON.stringify(event), enveloped(event)]);
    const order = fc.shuffledSubarray(twice, { minLength: twice.length });
    await fc.assert(
      fc.asyncProperty(order, fc.integer({ min: 1, max: 10 }), async (bodies, size) => {
        const folder = await temporaryFolder();
        // Two concurrent instances, each with its own batches.
        const instances = [1, 2].map(() => ticketHandler(ticketFolder(folder), ignored));
        const responses = await Promise.all(
          batches(bodies, size).map((batch, index) => instances[index % 2]?.(eventOf(batch))),
        );
        expect(responses.flatMap((response) => response?.batchItemFailures)).toEqual([]);
        expect(await clustersIn(folder)).toEqual(failing);
      }),
      { numRuns: 25 },
    );
  });

  test("When the same failure is published with other data, it should file no second ticket, but one for another attempt", async () => {
    const folder = await temporaryFolder();
    const handle = ticketHandler(ticketFolder(folder), ignored);
    const event = outcomes.find(({ type }) => type.endsWith("cluster-failed"));
    if (!event) throw new Error("no cluster has failed");
    const other = (data: object) =>
      JSON.stringify({ ...event, id: "other", data: { ...event.data, ...data } });
    await handle(eventOf([JSON.stringify(event), other({ message: "other", imagesDone: 13 })]));
    expect(await ticketsIn(folder)).toHaveLength(1);
    await handle(eventOf([other({ attempt: 2 }), other({ cgu: { ...Object(event.data.cgu), uid: "new" } })]));
    expect(await ticketsIn(folder)).toHaveLength(3);
  });

  test.for([
    { name: "is not JSON", body: "{" },
    { name: "is not an event", body: "{}" },
    {
      name: "lacks the cluster",
      body: '{"type":"dev.hubrelay.precache.cluster-failed","source":"s","data":{}}',
    },
  ])("When a message $name, only it should be delivered again, and the others filed", async ({ body }) => {
    const folder = await temporaryFolder();
    const event = eventOf([...outcomes.map((one) => JSON.stringify(one)), body]);
    const response = await ticketHandler(ticketFolder(folder), ignored)(event);
    expect(response.batchItemFailures).toEqual([{ itemIdentifier: event.Records.at(-1)?.messageId }]);
    expect(await clustersIn(folder)).toEqual(failing);
  });

  test("When a ticket cannot be filed, its message should be delivered again, and filed then", async () => {
    const folder = await temporaryFolder();
    const sound = ticketFolder(folder);
    let isBroken = true;
    const store: TicketStore = {
      create: async (ticket) => {
        if (isBroken && ticket.cluster === "sno4") throw new Error("no space left on device");
        return sound.create(ticket);
      },
    };
    const event = eventOf(outcomes.map((one) => JSON.stringify(one)));
    const { batchItemFailures } = await ticketHandler(store, ignored)(event);
    const again = event.Records.filter(({ messageId }) =>
      batchItemFailures.some(({ itemIdentifier }) => itemIdentifier === messageId),
    );
    expect(again.map(({ body }) => JSON.parse(body).data.cluster)).toEqual(["sno4"]);
    isBroken = false;
    expect(await ticketHandler(store, ignored)({ Records: again })).toEqual({ batchItemFailures: [] });
    expect(await clustersIn(folder)).toEqual(failing);
  });
});

test("When outcomes arrive as lines, twice and with one that cannot be read, it should file one ticket per failed cluster", async () => {
  const folder = await temporaryFolder();
  const all = [...outcomes, ...outcomes].map((event) => JSON.stringify(event));
  const reported: string[] = [];
  await fileTicketsOf(Readable.from(`${["{", ...all].join("\n")}\n`), ticketFolder(folder), (line) =>
    reported.push(line),
  );
  expect(await clustersIn(folder)).toEqual(failing);
  expect(reported.filter((line) => line.startsWith("a message cannot be read: "))).toHaveLength(1);
});

describe("the consumer", () => {
  let messaging: Awaited<ReturnType<typeof startEmbeddedMessaging>>;
  beforeAll(async () => {
    messaging = await startEmbeddedMessaging({ queues: ["enveloped", "raw"], topic: "outcomes" });
  });
  afterAll(() => messaging.stop());

  test.for([
    { name: "in envelopes", queue: "enveloped", raw: "false" },
    { name: "raw", queue: "raw", raw: "true" },
  ])(
    "When SNS delivers outcomes twice and $name, it should file one ticket per failed cluster and empty the queue",
    async ({ queue, raw }) => {
      const { sqs, sns, topicArn, topic } = messaging;
      const queueUrl = messaging.queue(queue).url;
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ["QueueArn"] }),
      );
      await sns.send(
        new SubscribeCommand({
          TopicArn: topicArn,
          Protocol: "sqs",
          Endpoint: Attributes?.QueueArn ?? "",
          Attributes: { RawMessageDelivery: raw },
        }),
      );
      await topic.publish([...outcomes, ...outcomes.toReversed()]);

      const folder = await temporaryFolder();
      const lines: string[] = [];
      const consumer = ticketConsumer({
        sqs,
        queueUrl,
        store: ticketFolder(folder),
        log: (line) => lines.push(line),
      });
      const drained = new Promise<void>((resolve) => {
        consumer.on("response_processed", async () => {
          const { visible, inFlight } = await messaging.queue(queue).depth();
          if (visible + inFlight === 0) resolve();
        });
      });
      consumer.start();
      await drained;
      consumer.stop({ abort: true });
      expect(await clustersIn(folder)).toEqual(failing);
      expect(lines.filter((line) => line.startsWith("filed:"))).toHaveLength(failing.length);
      expect(lines.filter((line) => line.startsWith("filed before:"))).toHaveLength(failing.length);
    },
  );
});

describe("the subscriber as a process", () => {
  const subscriber = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, "main.ts"), "--with-dev", ...args], {
      cwd: import.meta.dirname,
      encoding: "utf8",
    });

  test("When help is requested, it should print it and start nothing", () => {
    expect(subscriber("--help")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: /),
      stderr: "",
    });
  });

  test("When an option is unknown, it should say so and start nothing", () => {
    expect(subscriber("--helf")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringMatching(/^Unknown option '--helf'/),
    });
  });
});
