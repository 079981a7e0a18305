import { SQSClient } from "@aws-sdk/client-sqs";
import { type AwsConnection, clientOptions } from "../aws/aws-connection.ts";

/** Returns a client for SQS on AWS or any server with the same protocol. */
export function sqsClient(connection: AwsConnection): SQSClient {
  return new SQSClient(clientOptions(connection));
}
