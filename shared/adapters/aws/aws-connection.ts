import type { NodeHttpHandler } from "@smithy/node-http-handler";
import { firstLineOf } from "../../domain/text/error-text.ts";
import { type Environment, required } from "../settings/environment.ts";

// This module does not import aws-client.ts: a Lambda function loads AWS's clients only when it first needs one.

/** The address of AWS (the default) or of a compatible server. `credentials` defaults to the SDK's default chain. */
export type AwsConnection = Readonly<{
  region: string;
  endpoint?: string;
  credentials?: Readonly<{ accessKeyId: string; secretAccessKey: string }>;
  /** The environment, whose HTTPS_PROXY and NO_PROXY are used. */
  environment?: Environment;
  /** Passes requests to a server in this process, without signing them. By default, requests use the network. */
  inProcess?: NodeHttpHandler;
}>;

/** Returns the connection to the region in AWS_REGION. The SDK itself reads credentials and AWS_ENDPOINT_URL. */
export function awsConnection(environment: Environment): AwsConnection {
  return { region: required(environment, "AWS_REGION", "eu-central-1"), environment };
}

const maxMessageLength = 160;

/** Returns the name of a failed request's error, such as `NonExistentQueue`, or the code of a network error. */
export function awsErrorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if ("code" in error && typeof error.code === "string" && /^E[A-Z]+$/.test(error.code)) return error.code;
  return lastPart(error.name);
}

/** Returns an error code without AWS's namespace, which ends with the code's last dot or hash. */
export function lastPart(code: string): string {
  return code.slice(Math.max(code.lastIndexOf("."), code.lastIndexOf("#")) + 1);
}

/** Returns an error's name and the first line of its message. Later lines may quote the session token. */
export function awsErrorText(error: unknown): string {
  const name = awsErrorName(error);
  const line = firstLineOf(error);
  return line === "" || line === name ? name : `${name}: ${line.slice(0, maxMessageLength)}`;
}
