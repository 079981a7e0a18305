import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { ensureQueue } from "#shared/adapters/sqs/ensure-queue.ts";
import { hubrelay } from "../system/cli.ts";
import { startEngine } from "./support/engine.ts";

/** The attributes that KEDA's scaler of SQS adds up, and without which it fails. */
const scalerAttributes = [
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesNotVisible",
  "ApproximateNumberOfMessagesDelayed",
] as const;

let engine: Awaited<ReturnType<typeof startEngine>>;
const urls: Record<string, string> = {};
beforeAll(async () => {
  engine = await startEngine();
  for (const { queue } of controllers) {
    const redrive = { maxReceiveCount: 10, visibilityTimeoutSeconds: 2_000 };
    urls[queue] = (await ensureQueue(engine.sqs, queue, redrive)).url;
  }
});
afterAll(() => engine.stop());

test("When KEDA asks the server itself, every queue should have the attributes that it reads", async () => {
  for (const QueueUrl of Object.values(urls)) {
    const asked = { QueueUrl, AttributeNames: [...scalerAttributes] };
    const { Attributes } = await engine.sqs.send(new GetQueueAttributesCommand(asked));
    expect(Attributes).toEqual(Object.fromEntries(scalerAttributes.map((name) => [name, "0"])));
  }
});

test("When doctor checks queues on ElasticMQ, it should find nothing", async () => {
  const variables = {
    HUBRELAY_QUEUE_URLS: JSON.stringify(urls),
    HUBRELAY_OUTCOME_SINKS: "{}",
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
