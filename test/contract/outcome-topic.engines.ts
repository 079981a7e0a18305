import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { CreateTopicCommand, type SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { httpSink } from "#shared/adapters/http-sink/http-sink.ts";
import { snsOutcomeTopic } from "#shared/adapters/sns/sns-outcome-topic.ts";
import { ensureQueue } from "#shared/adapters/sqs/ensure-queue.ts";
import { messageText } from "#shared/adapters/sqs/message-batches.ts";
import { sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { severalTopics, topicOfTypes } from "#shared/runtime/topics/several-topics.ts";
import { listenOnFreePort } from "../support/servers/free-port.ts";
import type { Subscription, TopicEngine } from "./outcome-topic.contract.ts";

type Servers = Readonly<{ sns: SNSClient; sqs: SQSClient }>;

/** A queue of a subscriber, and the ARN by which a topic or a bus sends to it. */
export async function freshQueue(sqs: SQSClient): Promise<Readonly<{ queue: Queue; arn: string }>> {
  const redrive = { maxReceiveCount: 10, visibilityTimeoutSeconds: 30 };
  const { url } = await ensureQueue(sqs, `contract-${randomUUID()}`, redrive);
  const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] });
  const { Attributes } = await sqs.send(asked);
  return { queue: sqsQueue(sqs, url), arn: Attributes?.QueueArn ?? "" };
}

/** Creates a topic on SNS and returns its ARN. */
export async function snsTopic({ sns }: Servers): Promise<string> {
  const { TopicArn = "" } = await sns.send(new CreateTopicCommand({ Name: `contract-${randomUUID()}` }));
  return TopicArn;
}

/** Subscribes a queue to a topic on SNS. */
export async function snsSubscriber(
  { sns, sqs }: Servers,
  topicArn: string,
  attributes: Record<string, string> = {},
): Promise<Queue> {
  const { queue, arn } = await freshQueue(sqs);
  const subscription = { TopicArn: topicArn, Protocol: "sqs", Endpoint: arn, Attributes: attributes };
  await sns.send(new SubscribeCommand(subscription));
  return queue;
}

/** Topics on SNS, to which queues subscribe. */
export function snsEngine(servers: Servers & Readonly<{ stop(): Promise<void> }>): TopicEngine {
  return {
    async open(subscriptions) {
      const topicArn = await snsTopic(servers);
      const filterOf = ({ types }: Subscription) =>
        types ? { FilterPolicy: JSON.stringify({ type: types }) } : {};
      const queues = subscriptions.map((subscription, index) =>
        snsSubscriber(servers, topicArn, {
          ...filterOf(subscription),
          // Both forms in turn: with the envelope, and without.
          RawMessageDelivery: String(index % 2 === 0),
        }),
      );
      return { topic: snsOutcomeTopic(servers.sns, topicArn), queues: await Promise.all(queues) };
    },
    missing: () => snsOutcomeTopic(servers.sns, `arn:aws:sns:us-east-1:000000000000:${randomUUID()}`),
    stop: () => servers.stop(),
  };
}

const maxBytes = 1024 * 1024;

/** Servers that take CloudEvents over HTTP, and pass each on to a queue. */
export async function httpSinkEngine(sqs: SQSClient, stop: () => Promise<void>): Promise<TopicEngine> {
  const queues = new Map<string, Queue>();
  const server = createServer(async (request, response) => {
    const queue = queues.get(request.url ?? "");
    const body = await text(request);
    const status = !queue ? 404 : Buffer.byteLength(body) > maxBytes ? 413 : 202;
    if (status === 202) await queue?.send([{ body: messageText(JSON.parse(body)) }]);
    response.writeHead(status).end();
  });
  const port = await listenOnFreePort(server);
  const sinkOf = (path: string, { types }: Subscription) =>
    topicOfTypes(httpSink({ name: "tickets", url: `http://127.0.0.1:${port}${path}` }, {}), types);
  return {
    async open(subscriptions) {
      const opened = subscriptions.map(async (subscription) => {
        const { queue } = await freshQueue(sqs);
        queues.set(`/${queue.name}`, queue);
        return { queue, topic: sinkOf(`/${queue.name}`, subscription) };
      });
      const all = await Promise.all(opened);
      return { topic: severalTopics(all.map(({ topic }) => topic)), queues: all.map(({ queue }) => queue) };
    },
    missing: () => sinkOf("/missing", {}),
    async stop() {
      server.close();
      await stop();
    },
  };
}
