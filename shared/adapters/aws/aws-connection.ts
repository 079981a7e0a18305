import { type Environment, required } from "../settings/environment.ts";

/** Where a queue or topic server is. Without `endpoint` it is AWS's own; without `credentials` the usual chain. */
export type AwsConnection = Readonly<{
  region: string;
  endpoint?: string;
  credentials?: Readonly<{ accessKeyId: string; secretAccessKey: string }>;
}>;

/** A long poll waits 20 seconds; an answer that takes much longer never comes. */
const requestTimeoutMs = 25_000;
const connectionTimeoutMs = 2_000;
/** Every long poll holds a socket: with the SDK's 50 a few busy queues would keep sends waiting. */
const maxSockets = 200;

/** Client options for every AWS protocol client: timeouts that end, and three attempts with back-off. */
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
 * Where SQS and SNS are: AWS_REGION. Credentials, and AWS_ENDPOINT_URL for another server than AWS's, are read by
 * the SDK itself, as everywhere.
 */
export function awsConnection(environment: Environment): AwsConnection {
  return { region: required(environment, "AWS_REGION", "eu-central-1") };
}
