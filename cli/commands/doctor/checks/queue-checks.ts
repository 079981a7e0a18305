import type { SQSClient } from "@aws-sdk/client-sqs";
import { controllers } from "#functions/controllers.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { type Environment, EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { type QueueSettings, queueSettings } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { QueueError } from "#shared/ports/queue.ts";
import { defaultTimeoutSeconds } from "#shared/runtime/controller.ts";
import { type Check, note, ok, problem } from "./check.ts";

/** Visibility timeouts in batch timeouts, as AWS recommends: a message must not be redelivered while it is handled. */
const minVisibilityFactor = 6;
/** With fewer, a hub that is down for minutes turns valid messages into dead letters. */
const minReceives = 5;

/** The settings of a queue, and of its dead-letter queue if it has one. */
export type InspectedQueue = Readonly<{ queue: QueueSettings; deadLetters: QueueSettings | undefined }>;

/** Checks the settings of a queue whose batches may take so long; reports the most serious problem. */
export function queueCheck(
  name: string,
  batchTimeoutSeconds: number,
  { queue, deadLetters }: InspectedQueue,
): Check {
  const minVisibilitySeconds = minVisibilityFactor * batchTimeoutSeconds;
  const title = `queue ${name}`;
  const { redrive, visibilityTimeoutSeconds, retentionSeconds } = queue;
  if (!redrive || !deadLetters)
    return problem(
      title,
      `${queue.name} has no dead-letter queue: failed messages are retried until they expire.`,
      "Give it a redrive policy that names a queue of its own, with a maxReceiveCount of 10.",
    );
  if (redrive.maxReceiveCount < minReceives)
    return note(
      title,
      `${queue.name} gives up after ${redrive.maxReceiveCount} receives.`,
      "Set maxReceiveCount to 10: a hub that is down for some minutes must not cause dead letters.",
    );
  if (visibilityTimeoutSeconds < minVisibilitySeconds)
    return note(
      title,
      `${queue.name} shows a message again after ${visibilityTimeoutSeconds} s, perhaps while it is handled.`,
      `Set its visibility timeout to at least ${minVisibilitySeconds} s.`,
    );
  const keepsAll = Number.POSITIVE_INFINITY;
  if ((deadLetters.retentionSeconds ?? keepsAll) <= (retentionSeconds ?? 0))
    return note(
      title,
      `${deadLetters.name} keeps messages no longer than ${queue.name}, and both count from the first sending.`,
      "Let the dead-letter queue keep them for 14 days (MessageRetentionPeriod 1209600).",
    );
  if (deadLetters.visible > 0)
    return note(
      title,
      `${deadLetters.name} has ${counted(deadLetters.visible, "dead letter")}.`,
      "hubrelay dlq list shows why; hubrelay dlq replay puts them back.",
    );
  return ok(
    title,
    `${queue.name}, dead letters after ${redrive.maxReceiveCount} receives in ${deadLetters.name}.`,
  );
}

function failedCheck(name: string, error: unknown): Check {
  if (error instanceof EnvironmentError) return problem(name, error.message, "Correct that variable.");
  if (!(error instanceof QueueError)) throw error;
  const remedy =
    error.code === "QueueMissing"
      ? "Create the queue, or correct its URL in HUBRELAY_QUEUE_URLS."
      : "Check that its server can be reached from here, and that AWS_REGION, AWS_ENDPOINT_URL and the credentials with sqs:GetQueueAttributes are correct.";
  return problem(name, `${error.message}.`, remedy);
}

async function inspect(sqs: SQSClient, url: string): Promise<InspectedQueue> {
  const queue = await queueSettings(sqs, url);
  const { redrive } = queue;
  const deadLetters = redrive && (await queueSettings(sqs, new URL(redrive.deadLetters, url).href));
  return { queue, deadLetters };
}

/** With a shared dead-letter queue, the source queue of a dead letter is unknown, so it cannot be replayed. */
function sharedDeadLetters(inspected: ReadonlyMap<string, InspectedQueue>): readonly Check[] {
  const byName = Map.groupBy(inspected, ([, { deadLetters }]) => deadLetters?.name);
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

/** Checks the queues of all functions and their dead-letter queues; a failure is a check. */
export async function queueChecks(environment: Environment): Promise<readonly Check[]> {
  if (!environment.HUBRELAY_QUEUE_URLS)
    return [
      note(
        "queues",
        "HUBRELAY_QUEUE_URLS is not set: queues were not checked.",
        "Set it as in the deployment; see docs/reference/environment.md.",
      ),
    ];
  const checks: Check[] = [];
  const inspected = new Map<string, InspectedQueue>();
  try {
    const urls = queueUrls(environment);
    const sqs = sqsClient(awsConnection(environment));
    for (const { queue: name, timeoutSeconds = defaultTimeoutSeconds } of controllers) {
      try {
        const one = await inspect(sqs, urls.of(name));
        inspected.set(name, one);
        checks.push(queueCheck(name, timeoutSeconds, one));
      } catch (error) {
        checks.push(failedCheck(`queue ${name}`, error));
      }
    }
    sqs.destroy();
  } catch (error) {
    checks.push(failedCheck("queues", error));
  }
  return [...checks, ...sharedDeadLetters(inspected)];
}
