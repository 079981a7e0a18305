import { SQSClient } from "@aws-sdk/client-sqs";

const client = new SQSClient({});

/** The least that a function on a queue with a client for it can be: what a cold start cannot go below. */
export async function handler(): Promise<{ batchItemFailures: readonly never[]; region: string }> {
  return { batchItemFailures: [], region: await client.config.region() };
}
