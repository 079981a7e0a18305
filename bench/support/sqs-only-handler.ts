import { SQSClient } from "@aws-sdk/client-sqs";

const client = new SQSClient({});

/** A function that only creates an SQS client: the least that a cold start needs. */
export async function handler(): Promise<{ batchItemFailures: readonly never[]; region: string }> {
  return { batchItemFailures: [], region: await client.config.region() };
}
