import { SubscribeCommand } from "@aws-sdk/client-sns";
import { expect, test } from "vitest";
import { ensureQueue } from "#shared/adapters/sqs/ensure-queue.ts";
import { sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import { aDeployment } from "../support/processes/deployment.ts";

const objects = [
  anImageConfig(),
  aClusterVersion(),
  aPool("worker"),
  aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: ["mirror.example.com/acme"] }]),
];

test("When a change becomes an outcome, one id should lead from the forwarder's log to the subscriber", async () => {
  const { messaging, start } = await aDeployment(objects);
  const { url } = await ensureQueue(messaging.sqs, "subscriber", {
    maxReceiveCount: 10,
    visibilityTimeoutSeconds: 30,
  });
  const subscriber = sqsQueue(messaging.sqs, new URL(new URL(url).pathname, messaging.endpoint).href);
  const Endpoint = `arn:aws:sqs:us-east-1:000000000000:${subscriber.name}`;
  await messaging.sns.send(
    new SubscribeCommand({
      TopicArn: messaging.topicArn,
      Protocol: "sqs",
      Endpoint,
      Attributes: { RawMessageDelivery: "true" },
    }),
  );
  const worker = start(["work"]);
  const forwarder = start(["forward"]);

  const written = await worker.logged(({ event }) => event === "written");
  const id = written.correlationId;
  const published = await worker.logged(({ event }) => event === "published");
  expect(published.correlationId).toBe(id);
  const received = worker.lines.filter(({ correlationId }) => correlationId === id);
  expect(received.map(({ event }) => event)).toEqual(
    expect.arrayContaining(["event-received", "decided", "published", "written"]),
  );
  expect(await forwarder.logged(({ correlationId }) => correlationId === id)).toMatchObject({
    event: "noticed",
    queues: expect.arrayContaining(["mirror-configs"]),
  });
  const [message] = await subscriber.receive({ waitSeconds: 20 });
  expect(JSON.parse(message?.body ?? "{}")).toMatchObject({
    type: "dev.hubrelay.mirror-config.rendered",
    correlationid: id,
  });
});
