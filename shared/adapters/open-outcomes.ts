import type { SQSClient } from "@aws-sdk/client-sqs";
import type { OutcomeTopic } from "../ports/outcome-topic.ts";
import { awsConnection } from "./aws/aws-connection.ts";
import { type Environment, EnvironmentError } from "./settings/environment.ts";
import { snsClient, snsOutcomeTopic } from "./sns/sns-outcome-topic.ts";
import { queueOutcomeTopic } from "./sqs/queue-outcome-topic.ts";
import { sqsQueue } from "./sqs/sqs-queue.ts";

const exampleTopic = "arn:aws:sns:eu-central-1:123456789012:outcomes";

/**
 * Opens the target of outcome events: the SNS topic HUBRELAY_OUTCOME_TOPIC_ARN or, without SNS, the queue
 * HUBRELAY_OUTCOME_QUEUE_URL. One of the two is required: lost outcomes would not be noticed until they are needed.
 */
export function openOutcomes(environment: Environment, sqs: SQSClient): OutcomeTopic {
  const { HUBRELAY_OUTCOME_TOPIC_ARN: topicArn, HUBRELAY_OUTCOME_QUEUE_URL: queueUrl } = environment;
  if (topicArn && queueUrl)
    throw new EnvironmentError(
      "HUBRELAY_OUTCOME_TOPIC_ARN and HUBRELAY_OUTCOME_QUEUE_URL are both set; set only one.",
    );
  if (topicArn) return snsOutcomeTopic(snsClient(awsConnection(environment)), topicArn);
  if (queueUrl) return queueOutcomeTopic(sqsQueue(sqs, queueUrl));
  throw new EnvironmentError(
    `HUBRELAY_OUTCOME_TOPIC_ARN is not set; it should be like ${exampleTopic}. Without SNS, set HUBRELAY_OUTCOME_QUEUE_URL to a queue instead.`,
  );
}
