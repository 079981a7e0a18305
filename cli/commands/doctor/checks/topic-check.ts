import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { type Environment, EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { snsClient, topicSubscribers } from "#shared/adapters/sns/sns-outcome-topic.ts";
import { queueSettings } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import { OutcomeTopicError } from "#shared/ports/outcome-topic.ts";
import { QueueError } from "#shared/ports/queue.ts";
import { type Check, note, ok, problem } from "./check.ts";

const name = "outcomes";

async function snsCheck(environment: Environment, topicArn: string): Promise<Check> {
  const client = snsClient(awsConnection(environment));
  try {
    const subscribers = await topicSubscribers(client, topicArn);
    return ok(name, `The topic ${topicArn} exists, with ${subscribers} subscribers.`);
  } finally {
    client.destroy();
  }
}

async function queueCheck(environment: Environment, url: string): Promise<Check> {
  const client = sqsClient(awsConnection(environment));
  try {
    const { name: queue, visible } = await queueSettings(client, url);
    return ok(name, `The queue ${queue} exists, with ${visible} outcomes to receive.`);
  } finally {
    client.destroy();
  }
}

/** Checks the topic or queue of outcome events. A failure is a check. */
export async function topicCheck(environment: Environment): Promise<Check> {
  const { HUBRELAY_OUTCOME_TOPIC_ARN: topicArn, HUBRELAY_OUTCOME_QUEUE_URL: queueUrl } = environment;
  if (topicArn && queueUrl)
    return problem(
      name,
      "HUBRELAY_OUTCOME_TOPIC_ARN and HUBRELAY_OUTCOME_QUEUE_URL are both set.",
      "Unset one of them; functions do not start with both.",
    );
  try {
    if (topicArn) return await snsCheck(environment, topicArn);
    if (queueUrl) return await queueCheck(environment, queueUrl);
  } catch (error) {
    if (error instanceof OutcomeTopicError || error instanceof QueueError)
      return problem(
        name,
        `${error.message}.`,
        "Create it, or correct the variable; this check needs sns:GetTopicAttributes or sqs:GetQueueAttributes.",
      );
    if (error instanceof EnvironmentError) return problem(name, error.message, "Correct that variable.");
    throw error;
  }
  return note(
    name,
    "Neither HUBRELAY_OUTCOME_TOPIC_ARN nor HUBRELAY_OUTCOME_QUEUE_URL is set: not checked.",
    "Set the one of the deployment; functions do not start without it.",
  );
}
