import { SQSClient } from "@aws-sdk/client-sqs";
import { type AwsConnection, clientOptions } from "../aws/aws-connection.ts";

/** A client for AWS's SQS or any server that speaks its protocol. */
export function sqsClient(connection: AwsConnection): SQSClient {
  return new SQSClient(clientOptions(connection));
}
