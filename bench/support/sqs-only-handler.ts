import { SQSClient } from "@aws-sdk/client-sqs";

const client = new SQSClient({});

/** A minimal function with an SQS client: the floor of a cold start. */
export async function handler(): Promise<{ batchItemFailures: readonly never[]; region: string }> {
  return { batchItemFailures: [], region: await client.config.region() };
}
