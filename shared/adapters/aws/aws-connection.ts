import type { NodeHttpHandler } from "@smithy/node-http-handler";
import { type Environment, required } from "../settings/environment.ts";

/** Where a queue or topic server is. `endpoint` defaults to AWS, `credentials` to the SDK's default chain. */
export type AwsConnection = Readonly<{
  region: string;
  endpoint?: string;
  credentials?: Readonly<{ accessKeyId: string; secretAccessKey: string }>;
  /** For HTTPS_PROXY and NO_PROXY. */
  environment?: Environment;
  /** Hands requests, which nobody signs, to a server in this process; by default they go through the network. */
  inProcess?: NodeHttpHandler;
}>;

/**
 * Returns where SQS and SNS are, from AWS_REGION. The SDK itself reads credentials and AWS_ENDPOINT_URL (for a server
 * other than AWS).
 */
export function awsConnection(environment: Environment): AwsConnection {
  return { region: required(environment, "AWS_REGION", "eu-central-1"), environment };
}
