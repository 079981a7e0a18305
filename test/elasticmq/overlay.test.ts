import { GetQueueAttributesCommand, ListQueuesCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { deadLettersOf } from "#shared/adapters/sqs/ensure-queue.ts";
import { deadLettersUrlOf } from "#shared/adapters/sqs/queue-settings.ts";
import { hubrelay } from "../system/cli.ts";
import { startEngine } from "./support/engine.ts";

/** The attributes that KEDA's scaler adds up, and without which it fails. */
const scalerAttributes = [
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesNotVisible",
  "ApproximateNumberOfMessagesDelayed",
] as const;

let engine: Awaited<ReturnType<typeof startEngine>>;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const urlOf = (queue: string) => `${engine.endpoint}/000000000000/${queue}`;

test("When ElasticMQ starts as the overlay configures it, every function should have its queue, and nobody else one", async () => {
  const { QueueUrls = [] } = await engine.sqs.send(new ListQueuesCommand({}));
  const wanted = controllers.flatMap(({ queue }) => [queue, deadLettersOf(queue)]);
  expect(QueueUrls.toSorted()).toEqual(wanted.map(urlOf).toSorted());
  for (const { queue } of controllers) {
    expect(await deadLettersUrlOf(engine.sqs, urlOf(queue))).toBe(urlOf(deadLettersOf(queue)));
    const asked = { QueueUrl: urlOf(queue), AttributeNames: [...scalerAttributes] };
    const { Attributes } = await engine.sqs.send(new GetQueueAttributesCommand(asked));
    expect(Attributes).toEqual(Object.fromEntries(scalerAttributes.map((name) => [name, "0"])));
  }
});

test("When doctor checks the queues of the overlay as it is, it should find nothing", async () => {
  const urls = Object.fromEntries(controllers.map(({ queue }) => [queue, urlOf(queue)]));
  const variables = {
    HUBRELAY_QUEUE_URLS: JSON.stringify(urls),
    HUBRELAY_OUTCOME_SUBSCRIBERS: "{}",
    AWS_REGION: "elasticmq",
    AWS_ENDPOINT_URL: engine.endpoint,
    AWS_ACCESS_KEY_ID: "hubrelay",
    AWS_SECRET_ACCESS_KEY: "unused",
  };
  const { stdout, exitCode } = await hubrelay(["doctor", "-o", "json"], { hub: "directory:.", variables });
  const { checks }: { checks: readonly { state: string }[] } = JSON.parse(stdout);
  expect(checks.length).toBeGreaterThan(controllers.length);
  expect(checks.filter(({ state }) => state !== "ok")).toEqual([]);
  expect(exitCode).toBe(0);
});
