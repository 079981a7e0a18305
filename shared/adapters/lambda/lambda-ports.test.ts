import { expect, onTestFinished, test, vi } from "vitest";
import { anOutcome } from "../../../test/support/messages/refusing-topic.ts";
import { subscribeQueue } from "../../../test/support/messages/subscribe-queue.ts";
import { startEmbeddedMessaging } from "../embedded-sqs/embedded-messaging.ts";
import { lazyMessaging } from "./lambda-ports.ts";

const event = anOutcome();

test("When messages and outcomes are sent, they should arrive as without the delay", async () => {
  const messaging = await startEmbeddedMessaging({
    queues: ["mirror-configs", "outcomes"],
    topic: "outcomes",
  });
  onTestFinished(() => messaging.stop());
  // The SDK reads these from the environment of the process.
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const sdk = { AWS_ENDPOINT_URL: messaging.endpoint, AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x" };
  for (const [variable, value] of Object.entries(sdk)) vi.stubEnv(variable, value);
  const { url, name } = messaging.queue("mirror-configs");
  const outcomes = messaging.queue("outcomes");
  await subscribeQueue(messaging, "outcomes");
  const lazy = lazyMessaging({ AWS_REGION: "us-east-1", HUBRELAY_OUTCOME_TOPIC_ARN: messaging.topicArn });
  const queue = lazy.queue(url);
  expect(queue).toMatchObject({ name, url });
  await queue.send([{ body: "hello" }]);
  expect(await queue.depth()).toMatchObject({ visible: 1 });
  const [message] = await queue.receive({ waitSeconds: 5 });
  expect(message?.body).toBe("hello");
  await queue.changeVisibility(message?.receiptHandle ?? "", 60);
  await queue.delete([message?.receiptHandle ?? ""]);

  await lazy.outcomes(() => undefined).publish([event]);
  const [published] = await outcomes.receive({ waitSeconds: 5 });
  expect(JSON.parse(published?.body ?? "")).toEqual(event);
});

test("When the region is not set, the function should fail at its start, not at its first message", () => {
  expect(() => lazyMessaging({}).queue).toThrow("AWS_REGION is not set");
});
