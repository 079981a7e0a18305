import { SNSClient } from "@aws-sdk/client-sns";
import { type AwsConnection, clientOptions } from "../aws/aws-connection.ts";

/** A client for AWS's SNS or any server that speaks its protocol. */
export function snsClient(connection: AwsConnection): SNSClient {
  return new SNSClient(clientOptions(connection));
}
