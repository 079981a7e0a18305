import { PublishCommand } from "@aws-sdk/client-sns";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { snsOutcomeTopic } from "#shared/adapters/sns/sns-outcome-topic.ts";
import { parseHubEvent } from "#shared/domain/plan/hub-event.ts";
import { ours } from "../support/messages/hub-events.ts";
import { anOutcome, delivered, outcomeTopicContract } from "./outcome-topic.contract.ts";
import { httpSinkEngine, snsEngine, snsSubscriber, snsTopic } from "./outcome-topic.engines.ts";

const startMessaging = () => startEmbeddedMessaging({ queues: [], topic: "outcomes" });

outcomeTopicContract("the embedded server", async () => snsEngine(await startMessaging()));

outcomeTopicContract("a sink for HTTP", async () => {
  const messaging = await startMessaging();
  return httpSinkEngine(messaging.sqs, () => messaging.stop());
});

describe("messages of SNS", () => {
  let messaging: EmbeddedMessaging;
  let topicArn: string;
  beforeAll(async () => {
    messaging = await startMessaging();
    topicArn = await snsTopic(messaging);
  });
  afterAll(() => messaging.stop());

  test("When a subscriber wants the envelope, it should contain type and source beside the event", async () => {
    const subscriber = await snsSubscriber(messaging, topicArn);
    const event = anOutcome(0);
    await snsOutcomeTopic(messaging.sns, topicArn).publish([event]);
    const [body = ""] = await delivered(subscriber, 1);
    const envelope = JSON.parse(body);
    expect(JSON.parse(envelope.Message)).toEqual(event);
    expect(envelope).toMatchObject({
      Type: "Notification",
      TopicArn: topicArn,
      MessageAttributes: {
        type: { Type: "String", Value: event.type },
        source: { Type: "String", Value: event.source },
      },
    });
  });

  test("When an event quotes a character that no queue accepts, a subscriber's queue should get it in a form that it does", async () => {
    const subscriber = await snsSubscriber(messaging, topicArn, { RawMessageDelivery: "true" });
    const event = anOutcome(0, { value: "a\uffff b\ufffe" });
    await snsOutcomeTopic(messaging.sns, topicArn).publish([event]);
    const [body = ""] = await delivered(subscriber, 1);
    expect(body).not.toMatch(/[\ufffe\uffff]/);
    expect(JSON.parse(body)).toEqual(event);
  });

  test("When a hub event comes through the topic, with envelope and raw, it should be read as sent", async () => {
    const subscribers = [
      await snsSubscriber(messaging, topicArn),
      await snsSubscriber(messaging, topicArn, { RawMessageDelivery: "true" }),
    ];
    await messaging.sns.send(new PublishCommand({ TopicArn: topicArn, Message: JSON.stringify(ours) }));
    for (const subscriber of subscribers) {
      const [body = ""] = await delivered(subscriber, 1);
      expect(parseHubEvent(body)).toMatchObject({ ok: true, event: { id: ours.id, reference: ours.data } });
    }
  });
});
