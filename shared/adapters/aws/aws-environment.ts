import { type Environment, required } from "../settings/environment.ts";
import type { AwsConnection } from "./aws-connection.ts";

/**
 * Where SQS and SNS are: AWS_REGION. Credentials, and AWS_ENDPOINT_URL for another server than AWS's, are read by
 * the SDK itself, as everywhere.
 */
export function awsConnection(environment: Environment): AwsConnection {
  return { region: required(environment, "AWS_REGION", "eu-central-1") };
}
