import type { Log } from "../ports/log.ts";
import type { Ports } from "../ports/ports.ts";
import type { Queue } from "../ports/queue.ts";
import { type Environment, EnvironmentError, required } from "./environment.ts";
import { jsonLog, levels } from "./json-log.ts";
import { openHub } from "./open-hub.ts";
import { snsClient } from "./sns-client.ts";
import { snsOutcomeTopic } from "./sns-outcome-topic.ts";
import { sqsClient } from "./sqs-client.ts";
import { sqsQueue } from "./sqs-queue.ts";

const exampleUrl = "https://sqs.eu-central-1.amazonaws.com/123456789012/mirror-configs";
const exampleTopic = "arn:aws:sns:eu-central-1:123456789012:outcomes";

/** AWS_ENDPOINT_URL, which the SDK reads itself, names another SQS and SNS than AWS's. */
function connectionOf(environment: Environment) {
  return { region: required(environment, "AWS_REGION", "eu-central-1") };
}

/** JSON lines on standard output, where Lambda collects them; HUBRELAY_LOG_LEVEL is the lowest that is written. */
export function lambdaLog(environment: Environment): Log {
  const wanted = environment.HUBRELAY_LOG_LEVEL || "info";
  const level = levels.find((known) => known === wanted);
  if (!level)
    throw new EnvironmentError(`HUBRELAY_LOG_LEVEL is no level; it should be one of ${levels.join(", ")}.`);
  return jsonLog((line) => process.stdout.write(`${line}\n`), { level });
}

/** The ports of a function that an SQS queue feeds, from its environment; built once per cold start. */
export function lambdaPorts(environment: Environment): Ports {
  const connection = connectionOf(environment);
  const sqs = sqsClient(connection);
  const deadLettersUrl = required(environment, "HUBRELAY_DEAD_LETTERS_URL", `${exampleUrl}-dead-letters`);
  const topicArn = required(environment, "HUBRELAY_OUTCOME_TOPIC_ARN", exampleTopic);
  return {
    hub: openHub(environment),
    queue: sqsQueue(sqs, required(environment, "HUBRELAY_QUEUE_URL", exampleUrl)),
    deadLetters: sqsQueue(sqs, deadLettersUrl),
    outcomes: snsOutcomeTopic(snsClient(connection), topicArn),
    log: lambdaLog(environment),
    now: () => new Date(),
  };
}

/** The queues of all functions by name, from HUBRELAY_QUEUE_URLS: a JSON object of name to URL. */
export function lambdaQueues(environment: Environment): (name: string) => Queue {
  const sqs = sqsClient(connectionOf(environment));
  const example = `{"mirror-configs": "${exampleUrl}"}`;
  const urls: unknown = JSON.parse(required(environment, "HUBRELAY_QUEUE_URLS", example));
  return (name) => {
    const url = Object.entries(Object(urls)).find(([known]) => known === name)?.[1];
    if (typeof url !== "string")
      throw new EnvironmentError(`HUBRELAY_QUEUE_URLS has no queue ${name}; it should be like ${example}.`);
    return sqsQueue(sqs, url);
  };
}
