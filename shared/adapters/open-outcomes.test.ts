import { expect, onTestFinished, test } from "vitest";
import { anOutcome } from "../../test/support/messages/refusing-topic.ts";
import { scriptedApi } from "../../test/support/servers/scripted-api.ts";
import type { LogEntry } from "../ports/log.ts";
import { startEmbeddedMessaging } from "./embedded-sqs/embedded-messaging.ts";
import { openOutcomes } from "./open-outcomes.ts";
import { sqsClient } from "./sqs/sqs-queue.ts";

const event = anOutcome();
const noLog = () => undefined;
const queueUrl = "http://127.0.0.1:1/000000000000/outcomes";

const subscribersIn = (value: unknown) => ({ HUBRELAY_OUTCOME_SUBSCRIBERS: JSON.stringify(value) });

test("When there is a queue for outcomes, it should get the events, type and source beside them", async () => {
  const messaging = await startEmbeddedMessaging({ queues: ["outcomes"], topic: "unused" });
  onTestFinished(() => messaging.stop());
  const { url } = messaging.queue("outcomes");
  await openOutcomes({ HUBRELAY_OUTCOME_QUEUE_URL: url }, () => messaging.sqs, noLog).publish([event]);
  const [message] = await messaging.queue("outcomes").receive({ waitSeconds: 5 });
  expect(JSON.parse(message?.body ?? "")).toEqual(event);
  expect(message?.attributes).toEqual({ type: event.type, source: event.source });

  const missing = openOutcomes({ HUBRELAY_OUTCOME_QUEUE_URL: `${url}-missing` }, () => messaging.sqs, noLog);
  await expect(missing.publish([event])).rejects.toMatchObject({
    name: "OutcomeTopicError",
    code: "TopicMissing",
  });
});

test("When there are subscribers, each should get the types that it wants in its own queue", async () => {
  const names = ["all", "mirrors", "others"];
  const messaging = await startEmbeddedMessaging({ queues: names, topic: "unused" });
  onTestFinished(() => messaging.stop());
  const { all, mirrors, others } = Object.fromEntries(
    names.map((name) => [name, { url: messaging.queue(name).url }]),
  );
  const environment = subscribersIn({
    all,
    mirrors: { ...mirrors, types: ["dev.hubrelay.mirror-config.*"], maxMessages: 1 },
    others: { ...others, types: ["dev.hubrelay.mirror-config", "dev.hubrelay.precache.finished"] },
  });
  await openOutcomes(environment, () => messaging.sqs, noLog).publish([event]);
  const depths = await Promise.all(names.map((name) => messaging.queue(name).depth()));
  expect(depths.map(({ visible }) => visible)).toEqual([1, 1, 0]);
});

test("When a sink refuses some events, the log should count those and the accepted ones", async () => {
  let status = 400;
  const server = await scriptedApi((_, response) => response.writeHead(status).end());
  const environment = { HUBRELAY_OUTCOME_SINKS: JSON.stringify({ tickets: { url: server.url } }) };
  const logged: LogEntry[] = [];
  const topic = openOutcomes(
    environment,
    () => sqsClient({ region: "us-east-1" }),
    (entry) => logged.push(entry),
  );
  await expect(topic.publish([event])).rejects.toThrow("sink tickets");
  status = 202;
  await topic.publish([event]);
  expect(logged).toMatchObject([
    { event: "outcomes-sent", sink: "tickets", messages: 0 },
    { event: "outcomes-refused", sink: "tickets", messages: 1 },
    { event: "outcomes-sent", sink: "tickets", messages: 1 },
  ]);
});

test.for([subscribersIn({}), {}])(
  "When nobody subscribes (%o), publishing should succeed",
  async (environment) => {
    const sqs = sqsClient({ region: "us-east-1" });
    await openOutcomes(environment, () => sqs, noLog).publish([event]);
  },
);

const one = (given: object) => subscribersIn({ tickets: { url: queueUrl, ...given } });

test.for([
  ["the subscribers are a list", subscribersIn([]), "HUBRELAY_OUTCOME_SUBSCRIBERS is not a JSON object"],
  ["a subscriber is text", subscribersIn({ a: "b" }), "a is not a JSON object"],
  ["a subscriber has no queue", subscribersIn({ a: {} }), "a has no url"],
  ["a field is misspelt", one({ type: [] }), "tickets has the unknown field type"],
  ["the filter is empty", one({ types: [] }), "tickets has types that"],
  ["a limit is text", one({ maxMessages: "9" }), "tickets has a maxMessages"],
  ["a limit is zero", one({ retentionSeconds: 0 }), "has a retentionSeconds"],
] as const)("When $0 set, it should throw", ([, environment, message]) => {
  const sqs = sqsClient({ region: "us-east-1" });
  expect(() => openOutcomes({ AWS_REGION: "us-east-1", ...environment }, () => sqs, noLog)).toThrow(message);
});
