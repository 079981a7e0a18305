import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import type { Environment } from "#shared/adapters/settings/environment.ts";
import { queueUrls } from "#shared/adapters/sqs/queue-urls.ts";
import { reportedQueue } from "#shared/adapters/sqs/reported-queue.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import type { AskedQueue } from "../../../console/server/watched-queues.ts";

/** Returns the queues that the settings name, or why the console knows none: it works without any. */
export function consoleQueues(environment: Environment): readonly AskedQueue[] | string {
  if (!environment.HUBRELAY_QUEUE_URLS) return "HUBRELAY_QUEUE_URLS is not set";
  const urls = queueUrls(environment);
  const sqs = sqsClient(awsConnection(environment));
  return urls.names.map((name) => reportedQueue(sqs, name, urls.of(name)));
}
