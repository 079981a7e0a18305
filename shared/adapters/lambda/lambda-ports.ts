import type { Log } from "../../ports/log.ts";
import type { OutcomeTopic } from "../../ports/outcome-topic.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Queue } from "../../ports/queue.ts";
import { awsConnection } from "../aws/aws-connection.ts";
import { openHub } from "../hub/open-hub.ts";
import { once, topicLoadedWhenUsed } from "../loaded-when-used.ts";
import { type Environment, EnvironmentError, required } from "../settings/environment.ts";
import { outcomeSinks } from "../settings/outcome-settings.ts";
import { queueNameOf, queueUrls } from "../settings/queue-urls.ts";
import { emfMetrics } from "../telemetry/emf-metrics.ts";
import { stdoutLog } from "../telemetry/json-log.ts";

type LazyMessaging = Readonly<{ queue(url: string): Queue; outcomes(log: Log): OutcomeTopic }>;

/** Returns queues and the outcome topic. Their AWS clients are loaded at first use, since most batches need none. */
export function lazyMessaging(environment: Environment): LazyMessaging {
  const connection = awsConnection(environment);
  const sqs = once(async () => {
    const { sqsClient, sqsQueue } = await import("../sqs/sqs-queue.ts");
    const client = sqsClient(connection);
    return (url: string) => sqsQueue(client, url);
  });
  const open = async (url: string) => (await sqs())(url);

  return {
    queue: (url) => ({
      name: queueNameOf(url),
      url,
      send: async (messages) => (await open(url)).send(messages),
      receive: async (options) => (await open(url)).receive(options),
      delete: async (receiptHandles) => (await open(url)).delete(receiptHandles),
      changeVisibility: async (...change) => (await open(url)).changeVisibility(...change),
      depth: async () => (await open(url)).depth(),
    }),
    outcomes(log) {
      outcomeSinks(environment);
      return topicLoadedWhenUsed(async () => {
        const { openOutcomes } = await import("../open-outcomes.ts");
        return openOutcomes(environment, log);
      });
    },
  };
}

const exampleUrl = "https://sqs.eu-central-1.amazonaws.com/123456789012/mirror-configs";

/** Returns the ports of a Lambda function with an SQS queue. The settings are in `environment`. `external` is empty. */
export async function lambdaPorts(environment: Environment): Promise<Ports> {
  const { queue, outcomes } = lazyMessaging(environment);
  const deadLettersUrl = required(environment, "HUBRELAY_DEAD_LETTERS_URL", `${exampleUrl}-dead-letters`);
  const log = lambdaLog(environment);
  const hub = await openHub(environment, { log });
  return {
    hub,
    loginEnd: hub.loginEnd,
    external: {},
    queue: queue(required(environment, "HUBRELAY_QUEUE_URL", exampleUrl)),
    queueNamed: (name) => queue(queueUrls(environment).of(name)),
    deadLetters: queue(deadLettersUrl),
    outcomes: outcomes(log),
    log,
    now: () => new Date(),
  };
}

/** Returns a function that opens a queue by its name in HUBRELAY_QUEUE_URLS. */
export function lambdaQueues(environment: Environment): (name: string) => Queue {
  const { queue } = lazyMessaging(environment);
  const urls = queueUrls(environment);
  return (name) => queue(urls.of(name));
}

/** Returns the log of a function on Lambda. With HUBRELAY_METRICS=emf, its metrics count entries of every level. */
export function lambdaLog(environment: Environment): Log {
  const log = stdoutLog(environment);
  const wanted = environment.HUBRELAY_METRICS || "none";
  if (wanted !== "none" && wanted !== "emf")
    throw new EnvironmentError("HUBRELAY_METRICS is invalid; it should be emf or none.");
  if (wanted === "none") return log;
  const functionName = environment.AWS_LAMBDA_FUNCTION_NAME || "unknown";
  const count = emfMetrics((line) => process.stdout.write(`${line}\n`), {
    functionName,
    hub: environment.HUBRELAY_HUB_ID || "unknown",
  });
  return (entry) => {
    log(entry);
    count(entry);
  };
}
