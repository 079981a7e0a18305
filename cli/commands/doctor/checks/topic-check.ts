import type { SQSClient } from "@aws-sdk/client-sqs";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { busRules, eventBridgeClient } from "#shared/adapters/eventbridge/event-bus.ts";
import { sinkStatus } from "#shared/adapters/http-sink/http-sink.ts";
import { type Environment, EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { type OutcomeSink, outcomeSinks } from "#shared/adapters/settings/outcome-sinks.ts";
import { type OutcomeSubscriber, outcomeSubscribers } from "#shared/adapters/settings/outcome-subscribers.ts";
import { snsClient, topicSubscribers } from "#shared/adapters/sns/sns-outcome-topic.ts";
import { queueSettings } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import { outcomeTypes } from "#shared/domain/events/outcome-event.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { OutcomeTopicError } from "#shared/ports/outcome-topic.ts";
import { QueueError } from "#shared/ports/queue.ts";
import { isWanted } from "#shared/runtime/topics/topic-of-types.ts";
import { type Check, note, ok, problem } from "./check.ts";

const name = "outcomes";
const aboutSubscriber = (subscriber: Readonly<{ name: string }>) => `${name} for ${subscriber.name}`;

async function snsCheck(environment: Environment, topicArn: string): Promise<Check> {
  const client = snsClient(awsConnection(environment));
  try {
    const subscribers = await topicSubscribers(client, topicArn);
    return ok(name, `The topic ${topicArn} exists, with ${subscribers} subscribers.`);
  } finally {
    client.destroy();
  }
}

async function busCheck(environment: Environment, bus: string): Promise<Check> {
  const client = eventBridgeClient(awsConnection(environment));
  try {
    const rules = await busRules(client, bus);
    return ok(name, `The event bus ${bus} exists, with ${counted(rules, "rule")}.`);
  } finally {
    client.destroy();
  }
}

/** Returns a note where a subscriber wants types that no outcome has. */
function typesCheck(about: string, found: string, types: readonly string[] = []): Check | undefined {
  const unknown = types.filter((wanted) => !outcomeTypes.some(({ type }) => isWanted([wanted], type)));
  if (unknown.length === 0) return undefined;
  const text = `${found} No outcome has the type ${unknown.join(", ")}.`;
  return note(about, text, "Correct its types: docs/reference/events.md lists them.");
}

async function sinkCheck(environment: Environment, sink: OutcomeSink): Promise<Check> {
  const about = aboutSubscriber(sink);
  const found = `The server responds (${await sinkStatus(sink, environment)} to a request without an event).`;
  return typesCheck(about, found, sink.types) ?? ok(about, found);
}

async function subscriberCheck(client: SQSClient, subscriber: OutcomeSubscriber): Promise<Check> {
  const about = aboutSubscriber(subscriber);
  const { name: queue, visible } = await queueSettings(client, subscriber.url);
  const found = `The queue ${queue} exists, with ${counted(visible, "outcome")} to receive, of at most ${subscriber.maxMessages}.`;
  const ofTypes = typesCheck(about, found, subscriber.types);
  if (ofTypes) return ofTypes;
  return visible < subscriber.maxMessages
    ? ok(about, found)
    : note(about, found, "Start the subscriber: the oldest outcomes in its queue are being removed.");
}

/** Returns the result of a check, or what it failed with. */
async function checked(about: string, need: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof OutcomeTopicError || error instanceof QueueError) {
      const remedy = `Create it, or correct the variable; this check needs ${need}.`;
      return problem(about, `${error.message}.`, remedy);
    }
    if (error instanceof EnvironmentError) return problem(about, error.message, "Correct that variable.");
    throw error;
  }
}

/** Checks every topic, bus, queue and server of outcome events. A failure is a check. */
export async function topicChecks(environment: Environment): Promise<readonly Check[]> {
  const { HUBRELAY_OUTCOME_TOPIC_ARN: topicArn, HUBRELAY_OUTCOME_BUS: bus } = environment;
  const checks: Promise<Check>[] = [];
  if (topicArn) checks.push(checked(name, "sns:GetTopicAttributes", () => snsCheck(environment, topicArn)));
  if (bus) {
    const permissions = "events:DescribeEventBus and events:ListRules";
    checks.push(checked(name, permissions, () => busCheck(environment, bus)));
  }
  try {
    const subscribers = outcomeSubscribers(environment);
    if (subscribers) {
      const client = sqsClient(awsConnection(environment));
      for (const subscriber of subscribers)
        checks.push(
          checked(aboutSubscriber(subscriber), "sqs:GetQueueAttributes", () =>
            subscriberCheck(client, subscriber),
          ),
        );
      if (subscribers.length === 0) checks.push(Promise.resolve(ok(name, "Nobody subscribes.")));
    }
    for (const sink of outcomeSinks(environment) ?? [])
      checks.push(checked(aboutSubscriber(sink), "a way to it", () => sinkCheck(environment, sink)));
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    checks.push(Promise.resolve(problem(name, error.message, "Correct that variable.")));
  }
  if (checks.length > 0) return Promise.all(checks);
  return [
    note(
      name,
      "None of HUBRELAY_OUTCOME_TOPIC_ARN, HUBRELAY_OUTCOME_BUS, HUBRELAY_OUTCOME_SUBSCRIBERS and HUBRELAY_OUTCOME_SINKS is set: not checked.",
      "Set the one of the deployment; without one, outcomes are only in the log.",
    ),
  ];
}
