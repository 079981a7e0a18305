import { expect, onTestFinished, test } from "vitest";
import { outcomeEvent } from "../domain/events/outcome-event.ts";
import { startEmbeddedMessaging } from "./embedded/embedded-messaging.ts";
import { openOutcomes } from "./open-outcomes.ts";
import { sqsClient } from "./sqs/sqs-queue.ts";

const event = outcomeEvent({
  type: "dev.hubrelay.mirror-config.rendered",
  source: "urn:test:hub",
  subject: "99-worker",
  from: "1",
  data: {},
});
const topicArn = "arn:aws:sns:eu-central-1:123456789012:outcomes";
const queueUrl = "http://127.0.0.1:1/000000000000/outcomes";

test("When there is a queue for outcomes, it should get the events, type and source beside them", async () => {
  const messaging = await startEmbeddedMessaging({ queues: ["outcomes"], topic: "unused" });
  onTestFinished(() => messaging.stop());
  const { url } = messaging.queue("outcomes");
  await openOutcomes({ HUBRELAY_OUTCOME_QUEUE_URL: url }, messaging.sqs).publish([event]);
  const [message] = await messaging.queue("outcomes").receive({ waitSeconds: 5 });
  expect(JSON.parse(message?.body ?? "")).toEqual(event);
  expect(message?.attributes).toEqual({ type: event.type, source: event.source });

  const missing = openOutcomes({ HUBRELAY_OUTCOME_QUEUE_URL: `${url}-missing` }, messaging.sqs);
  await expect(missing.publish([event])).rejects.toMatchObject({
    name: "OutcomeTopicError",
    code: "TopicMissing",
  });
});

test.for([
  { what: "neither topic nor queue is", environment: {}, message: "HUBRELAY_OUTCOME_TOPIC_ARN is not set" },
  {
    what: "both topic and queue are",
    environment: { HUBRELAY_OUTCOME_TOPIC_ARN: topicArn, HUBRELAY_OUTCOME_QUEUE_URL: queueUrl },
    message: "are both set",
  },
])("When $what set, it should throw", ({ environment, message }) => {
  const sqs = sqsClient({ region: "us-east-1" });
  expect(() => openOutcomes({ AWS_REGION: "us-east-1", ...environment }, sqs)).toThrow(message);
});
