import type { Ports } from "../../ports/ports.ts";
import type { Queue } from "../../ports/queue.ts";
import { awsConnection } from "../aws/aws-connection.ts";
import { openHub } from "../hub/open-hub.ts";
import { openOutcomes } from "../open-outcomes.ts";
import { type Environment, required } from "../settings/environment.ts";
import { queueUrls } from "../sqs/queue-urls.ts";
import { sqsClient } from "../sqs/sqs-client.ts";
import { sqsQueue } from "../sqs/sqs-queue.ts";
import { lambdaLog } from "./lambda-log.ts";

const exampleUrl = "https://sqs.eu-central-1.amazonaws.com/123456789012/mirror-configs";

/** Returns the ports of a function with an SQS queue, from its environment; built once per cold start. */
export async function lambdaPorts(environment: Environment): Promise<Ports> {
  const sqs = sqsClient(awsConnection(environment));
  const deadLettersUrl = required(environment, "HUBRELAY_DEAD_LETTERS_URL", `${exampleUrl}-dead-letters`);
  return {
    hub: await openHub(environment),
    queue: sqsQueue(sqs, required(environment, "HUBRELAY_QUEUE_URL", exampleUrl)),
    queueNamed: (name) => sqsQueue(sqs, queueUrls(environment).of(name)),
    deadLetters: sqsQueue(sqs, deadLettersUrl),
    outcomes: openOutcomes(environment, sqs),
    log: lambdaLog(environment),
    now: () => new Date(),
  };
}

/** Returns the queues of all functions by name, from HUBRELAY_QUEUE_URLS. */
export function lambdaQueues(environment: Environment): (name: string) => Queue {
  const sqs = sqsClient(awsConnection(environment));
  const urls = queueUrls(environment);
  return (name) => sqsQueue(sqs, urls.of(name));
}
