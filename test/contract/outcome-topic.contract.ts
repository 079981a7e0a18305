import { randomUUID } from "node:crypto";
import { CreateTopicCommand, PublishCommand, type SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { snsOutcomeTopic } from "#shared/adapters/sns/sns-outcome-topic.ts";
import { ensureQueue } from "#shared/adapters/sqs/ensure-queue.ts";
import { sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { parseHubEvent } from "#shared/domain/events/hub-event.ts";
import { type OutcomeEvent, outcomeEvent } from "#shared/domain/events/outcome-event.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { ours } from "../support/messages/hub-events.ts";

/** A server that speaks the protocols of SNS and SQS, including AWS itself. */
export type TopicEngine = Readonly<{ sns: SNSClient; sqs: SQSClient; stop(): Promise<void> }>;

function anOutcome(index: number, data: Readonly<Record<string, unknown>> = {}): OutcomeEvent {
  return outcomeEvent({
    type: index % 2 === 0 ? "dev.hubrelay.mirror-config.rendered" : "dev.hubrelay.mirror-config.refused",
    source: "https://api.hub.lab:6443",
    subject: `MachineConfigPool/pool-${index}`,
    from: String(index),
    data: { pool: `pool-${index}`, text: "Grüße 日本語 🚀 <&>", ...data },
  });
}

const outcomes = (count: number) => Array.from({ length: count }, (_, index) => anOutcome(index));
const byId = (a: OutcomeEvent, b: OutcomeEvent) => (a.id < b.id ? -1 : 1);

/** The bodies that reach a subscriber; one message more than `count` ends the wait early. */
async function delivered(queue: Queue, count: number): Promise<readonly string[]> {
  const bodies: string[] = [];
  while (bodies.length < count) {
    const some = await queue.receive({ waitSeconds: 5 });
    if (some.length === 0) break;
    bodies.push(...some.map(({ body }) => body));
  }
  return bodies;
}

/** The contract of every engine behind the `OutcomeTopic` port. Each test has its own topic and subscriber. */
export function outcomeTopicContract(name: string, startEngine: () => Promise<TopicEngine>): void {
  describe.concurrent(`outcome topic on ${name}`, () => {
    let engine: TopicEngine;
    beforeAll(async () => {
      engine = await startEngine();
    });
    afterAll(() => engine.stop());

    const freshTopic = async (): Promise<string> => {
      const { TopicArn = "" } = await engine.sns.send(
        new CreateTopicCommand({ Name: `contract-${randomUUID()}` }),
      );
      return TopicArn;
    };

    const subscribe = async (topicArn: string, attributes: Record<string, string> = {}): Promise<Queue> => {
      const redrive = { maxReceiveCount: 10, visibilityTimeoutSeconds: 30 };
      const { url } = await ensureQueue(engine.sqs, `contract-${randomUUID()}`, redrive);
      const { Attributes } = await engine.sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] }),
      );
      await engine.sns.send(
        new SubscribeCommand({
          TopicArn: topicArn,
          Protocol: "sqs",
          Endpoint: Attributes?.QueueArn,
          Attributes: attributes,
        }),
      );
      return sqsQueue(engine.sqs, url);
    };

    test("When more events than fit a request are published, it should deliver each unchanged", async () => {
      const topicArn = await freshTopic();
      const subscriber = await subscribe(topicArn, { RawMessageDelivery: "true" });
      const events = outcomes(12);
      await snsOutcomeTopic(engine.sns, topicArn).publish(events);
      const received: OutcomeEvent[] = (await delivered(subscriber, 12)).map((body) => JSON.parse(body));
      expect(received.sort(byId)).toEqual(events.sort(byId));
    });

    test("When a subscriber wants the envelope, it should contain type and source beside the event", async () => {
      const topicArn = await freshTopic();
      const subscriber = await subscribe(topicArn);
      const event = anOutcome(0);
      await snsOutcomeTopic(engine.sns, topicArn).publish([event]);
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

    test("When a subscriber filters by type, it should get only those events", async () => {
      const topicArn = await freshTopic();
      const subscriber = await subscribe(topicArn, {
        RawMessageDelivery: "true",
        FilterPolicy: JSON.stringify({ type: ["dev.hubrelay.mirror-config.refused"] }),
      });
      await snsOutcomeTopic(engine.sns, topicArn).publish(outcomes(4));
      const received: OutcomeEvent[] = (await delivered(subscriber, 2)).map((body) => JSON.parse(body));
      expect(received.map(({ subject }) => subject).sort()).toEqual([
        "MachineConfigPool/pool-1",
        "MachineConfigPool/pool-3",
      ]);
      expect(await subscriber.receive({ waitSeconds: 1 })).toEqual([]);
    });

    test("When two subscribers listen, it should deliver to both", async () => {
      const topicArn = await freshTopic();
      const subscribers = [await subscribe(topicArn), await subscribe(topicArn)];
      await snsOutcomeTopic(engine.sns, topicArn).publish([anOutcome(0)]);
      for (const subscriber of subscribers) expect(await delivered(subscriber, 1)).toHaveLength(1);
    });

    test("When there is nothing to publish or no subscriber, it should succeed", async () => {
      const topic = snsOutcomeTopic(engine.sns, await freshTopic());
      await topic.publish([]);
      await topic.publish([anOutcome(0)]);
    });

    test("When the size of the events exceeds one request, it should deliver them all", async () => {
      const topicArn = await freshTopic();
      const subscriber = await subscribe(topicArn, { RawMessageDelivery: "true" });
      const large = [0, 1, 2].map((index) => anOutcome(index, { issues: "x".repeat(100 * 1024) }));
      await snsOutcomeTopic(engine.sns, topicArn).publish(large);
      expect(await delivered(subscriber, 3)).toHaveLength(3);
    });

    test("When an event exceeds the size of a message, it should name it and publish nothing", async () => {
      const topicArn = await freshTopic();
      const subscriber = await subscribe(topicArn);
      const texts = Array.from({ length: 20 }, () => "x".repeat(16 * 1024));
      const tooLarge = anOutcome(1, { issues: texts });
      const publishing = snsOutcomeTopic(engine.sns, topicArn).publish([anOutcome(0), tooLarge]);
      await expect(publishing).rejects.toMatchObject({
        name: "OutcomeTopicError",
        code: "TooLarge",
        message: expect.stringContaining(`${tooLarge.type} about ${tooLarge.subject}`),
      });
      expect(await subscriber.receive({ waitSeconds: 1 })).toEqual([]);
    });

    test("When the topic does not exist, it should report that", async () => {
      const missing = `${await freshTopic()}-missing`;
      await expect(snsOutcomeTopic(engine.sns, missing).publish([anOutcome(0)])).rejects.toMatchObject({
        name: "OutcomeTopicError",
        code: "TopicMissing",
      });
    });

    test("When a hub event comes through the topic, with envelope and raw, it should be read as sent", async () => {
      const topicArn = await freshTopic();
      const subscribers = [
        await subscribe(topicArn),
        await subscribe(topicArn, { RawMessageDelivery: "true" }),
      ];
      await engine.sns.send(new PublishCommand({ TopicArn: topicArn, Message: JSON.stringify(ours) }));
      for (const subscriber of subscribers) {
        const [body = ""] = await delivered(subscriber, 1);
        expect(parseHubEvent(body)).toMatchObject({ ok: true, event: { id: ours.id, reference: ours.data } });
      }
    });
  });
}
