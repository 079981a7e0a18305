import { type Environment, required } from "../settings/environment.ts";

/** Where a queue or topic server is. `endpoint` defaults to AWS, `credentials` to the SDK's default chain. */
export type AwsConnection = Readonly<{
  region: string;
  endpoint?: string;
  credentials?: Readonly<{ accessKeyId: string; secretAccessKey: string }>;
}>;

/** A long poll waits 20 seconds; a response that takes much longer never comes. */
const requestTimeoutMs = 25_000;
const connectionTimeoutMs = 2_000;
/** Every long poll holds a socket: with the SDK's default of 50 a few busy queues would delay sends. */
const maxSockets = 200;

/** Returns the options for every AWS client: timeouts, and three attempts with back-off. */
export function clientOptions({ region, endpoint, credentials }: AwsConnection) {
  return {
    region,
    ...(endpoint ? { endpoint } : {}),
    ...(credentials ? { credentials } : {}),
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      // Without this the SDK only warns about a request that never ends.
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
  };
}

/**
 * Returns where SQS and SNS are, from AWS_REGION. The SDK itself reads credentials and AWS_ENDPOINT_URL (for a server
 * other than AWS).
 */
export function awsConnection(environment: Environment): AwsConnection {
  return { region: required(environment, "AWS_REGION", "eu-central-1") };
}
