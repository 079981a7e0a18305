import type { Log } from "../../ports/log.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Queue } from "../../ports/queue.ts";
import { awsConnection } from "../aws/aws-connection.ts";
import { openHub } from "../hub/open-hub.ts";
import { openOutcomes } from "../open-outcomes.ts";
import { type Environment, EnvironmentError, required } from "../settings/environment.ts";
import { queueUrls } from "../sqs/queue-urls.ts";
import { sqsClient, sqsQueue } from "../sqs/sqs-queue.ts";
import { emfMetrics } from "../telemetry/emf-metrics.ts";
import { stdoutLog } from "../telemetry/json-log.ts";

const exampleUrl = "https://sqs.eu-central-1.amazonaws.com/123456789012/mirror-configs";

/**
 * Returns the ports of a function with an SQS queue, from its environment; built once per cold start. Those of other
 * systems are left to the functions that need some.
 */
export async function lambdaPorts(environment: Environment): Promise<Ports> {
  const sqs = sqsClient(awsConnection(environment));
  const deadLettersUrl = required(environment, "HUBRELAY_DEAD_LETTERS_URL", `${exampleUrl}-dead-letters`);
  return {
    hub: await openHub(environment),
    external: {},
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

/**
 * Returns the log of a function on Lambda, with HUBRELAY_METRICS=emf also its metrics, under the function's name on
 * Lambda. Metrics count every entry, whatever HUBRELAY_LOG_LEVEL is.
 */
export function lambdaLog(environment: Environment): Log {
  const log = stdoutLog(environment);
  const wanted = environment.HUBRELAY_METRICS || "none";
  if (wanted !== "none" && wanted !== "emf")
    throw new EnvironmentError("HUBRELAY_METRICS is invalid; it should be emf or none.");
  if (wanted === "none") return log;
  const functionName = environment.AWS_LAMBDA_FUNCTION_NAME || "unknown";
  const count = emfMetrics((line) => process.stdout.write(`${line}\n`), { functionName });
  return (entry) => {
    log(entry);
    count(entry);
  };
}
