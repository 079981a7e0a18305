import type { SQSClient } from "@aws-sdk/client-sqs";
import { allWatches } from "#functions/watches.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { type Environment, EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { type QueueSettings, queueSettings } from "#shared/adapters/sqs/queue-settings.ts";
import { queueUrls } from "#shared/adapters/sqs/queue-urls.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-client.ts";
import { QueueError } from "#shared/ports/queue.ts";
import { type Check, note, ok, problem } from "./check.ts";

/** Six times what a batch may take: AWS's advice, so that no message comes again while it is being handled. */
const leastVisibilitySeconds = 180;
/** Fewer, and a hub that is away for minutes makes dead letters of good messages. */
const leastReceives = 5;

/** A queue as its server has it, and its dead-letter queue if that could be found. */
export type LookedAtQueue = Readonly<{ queue: QueueSettings; deadLetters: QueueSettings | undefined }>;

/** What is wrong with how a queue is set up, the worst first. */
export function queueCheck(name: string, { queue, deadLetters }: LookedAtQueue): Check {
  const title = `queue ${name}`;
  const { redrive, visibilityTimeoutSeconds, retentionSeconds } = queue;
  if (!redrive || !deadLetters)
    return problem(
      title,
      `${queue.name} has no dead-letter queue: what fails is tried until it is lost.`,
      "Give it a redrive policy that names a queue of its own, with a maxReceiveCount of 10.",
    );
  if (redrive.maxReceiveCount < leastReceives)
    return note(
      title,
      `${queue.name} gives up after ${redrive.maxReceiveCount} receives.`,
      "Set maxReceiveCount to 10: a hub that is away for some minutes should make no dead letters.",
    );
  if (visibilityTimeoutSeconds < leastVisibilitySeconds)
    return note(
      title,
      `${queue.name} shows a message again after ${visibilityTimeoutSeconds} s, perhaps while it is handled.`,
      `Set its visibility timeout to at least ${leastVisibilitySeconds} s.`,
    );
  if (deadLetters.retentionSeconds <= retentionSeconds)
    return note(
      title,
      `${deadLetters.name} keeps messages no longer than ${queue.name}, and both count from the first sending.`,
      "Let the dead-letter queue keep them for 14 days (MessageRetentionPeriod 1209600).",
    );
  if (deadLetters.visible > 0)
    return note(
      title,
      `${deadLetters.visible} dead letters are in ${deadLetters.name}.`,
      "hubrelay dlq list tells why; hubrelay dlq replay puts them back.",
    );
  return ok(
    title,
    `${queue.name}, dead letters after ${redrive.maxReceiveCount} receives in ${deadLetters.name}.`,
  );
}

function troubleOf(name: string, error: unknown): Check {
  if (error instanceof EnvironmentError) return problem(name, error.message, "Correct that variable.");
  if (!(error instanceof QueueError)) throw error;
  const remedy =
    error.code === "QueueMissing"
      ? "Make the queue, or correct its URL in HUBRELAY_QUEUE_URLS."
      : "See that its server answers here, and that credentials, their sqs:GetQueueAttributes, AWS_REGION and AWS_ENDPOINT_URL are right.";
  return problem(name, `${error.message}.`, remedy);
}

async function look(sqs: SQSClient, url: string): Promise<LookedAtQueue> {
  const queue = await queueSettings(sqs, url);
  const { redrive } = queue;
  const deadLetters = redrive && (await queueSettings(sqs, new URL(redrive.deadLetters, url).href));
  return { queue, deadLetters };
}

/** Two queues with one dead-letter queue: what came from where could not be told, nor put back. */
function sharedDeadLetters(looked: ReadonlyMap<string, LookedAtQueue>): readonly Check[] {
  const byName = Map.groupBy(looked, ([, { deadLetters }]) => deadLetters?.name);
  return [...byName].flatMap(([deadLetters, pairs]) =>
    deadLetters !== undefined && pairs.length > 1
      ? [
          problem(
            "dead letters",
            `${pairs.map(([name]) => name).join(" and ")} share the dead-letter queue ${deadLetters}.`,
            "Give each queue its own.",
          ),
        ]
      : [],
  );
}

/** Looks at the queues of all functions and at their dead-letter queues; trouble is a check. */
export async function queueChecks(environment: Environment): Promise<readonly Check[]> {
  if (!environment.HUBRELAY_QUEUE_URLS)
    return [
      note(
        "queues",
        "HUBRELAY_QUEUE_URLS is not set: queues were not looked at.",
        "Set it as the processes have it; docs/reference-environment.md tells how.",
      ),
    ];
  const checks: Check[] = [];
  const looked = new Map<string, LookedAtQueue>();
  try {
    const urls = queueUrls(environment);
    const sqs = sqsClient(awsConnection(environment));
    for (const name of new Set(allWatches.map(({ queue }) => queue))) {
      try {
        const one = await look(sqs, urls.of(name));
        looked.set(name, one);
        checks.push(queueCheck(name, one));
      } catch (error) {
        checks.push(troubleOf(`queue ${name}`, error));
      }
    }
    sqs.destroy();
  } catch (error) {
    checks.push(troubleOf("queues", error));
  }
  return [...checks, ...sharedDeadLetters(looked)];
}
