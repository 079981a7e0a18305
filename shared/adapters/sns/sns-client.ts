import { SNSClient } from "@aws-sdk/client-sns";
import { type AwsConnection, clientOptions } from "../aws/aws-connection.ts";

/** Returns a client for SNS on AWS or any server with the same protocol. */
export function snsClient(connection: AwsConnection): SNSClient {
  return new SNSClient(clientOptions(connection));
}
