import { NodeHttpHandler, type NodeHttpHandlerOptions } from "@smithy/node-http-handler";
import { firstLineOf } from "../../domain/text/error-text.ts";
import { proxyFor } from "../network/proxy.ts";
import { withBatch } from "../network/requests.ts";
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

const maxMessageLength = 160;

/**
 * Returns the name of a failed request's error without its namespace: AWS sends
 * `AWS.SimpleQueueService.NonExistentQueue` where other servers send `NonExistentQueue`. Network errors have their code
 * instead (`ECONNREFUSED`).
 */
export function awsErrorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if ("code" in error && typeof error.code === "string" && /^E[A-Z]+$/.test(error.code)) return error.code;
  return lastPart(error.name);
}

/** Returns the part of a dotted or hashed error code that all servers share. */
export function lastPart(code: string): string {
  return code.slice(Math.max(code.lastIndexOf("."), code.lastIndexOf("#")) + 1);
}

/**
 * Returns a failed request in one line. Only the first line of its message is used, since a signature error quotes the
 * whole request, session token included.
 */
export function awsErrorText(error: unknown): string {
  const name = awsErrorName(error);
  const line = firstLineOf(error);
  return line === "" || line === name ? name : `${name}: ${line.slice(0, maxMessageLength)}`;
}

/** A long poll waits 20 seconds; a response that takes much longer never comes. */
const requestTimeoutMs = 25_000;
const connectionTimeoutMs = 2_000;
/** Every long poll holds a socket: with the SDK's default of 50 a few busy queues would delay sends. */
const maxSockets = 200;

function httpHandler(proxy: string | undefined): NodeHttpHandler {
  const agent = { keepAlive: true, maxSockets };
  const options: NodeHttpHandlerOptions = {
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // Without this the SDK only warns about a request that never ends.
    throwOnRequestTimeout: true,
    httpAgent: { ...agent, ...(proxy ? { proxyEnv: { HTTP_PROXY: proxy } } : {}) },
    httpsAgent: { ...agent, ...(proxy ? { proxyEnv: { HTTPS_PROXY: proxy } } : {}) },
  };
  return new NodeHttpHandler(options);
}

/** Returns a signal that aborts with the request's own, or with the batch that it is for. */
export function signalOf({ abortSignal }: Parameters<NodeHttpHandler["handle"]>[1] = {}): AbortSignal {
  return withBatch(abortSignal instanceof AbortSignal ? abortSignal : undefined);
}

/**
 * Sends each request directly or through the proxy for its host, since the hosts of a client's queues may differ, and until
 * the batch that it is for is over.
 */
class ProxyingHandler extends NodeHttpHandler {
  readonly #environment: Environment;
  readonly #handlers = new Map<string | undefined, NodeHttpHandler>();

  constructor(environment: Environment) {
    super();
    this.#environment = environment;
  }

  override handle(...[request, options]: Parameters<NodeHttpHandler["handle"]>) {
    const { protocol, hostname, port } = request;
    const proxy = proxyFor(new URL(`${protocol}//${hostname}:${port ?? ""}`), this.#environment);
    const handler = this.#handlers.get(proxy) ?? httpHandler(proxy);
    this.#handlers.set(proxy, handler);
    return handler.handle(request, { ...options, abortSignal: signalOf(options) });
  }

  override destroy(): void {
    for (const handler of this.#handlers.values()) handler.destroy();
  }
}

const unsigned = { sign: async <Request>(request: Request) => request };

/** Returns the options for every AWS client: timeouts, proxies, and three attempts with back-off. */
export function clientOptions({ region, endpoint, credentials, environment = {}, inProcess }: AwsConnection) {
  return {
    region,
    ...(endpoint ? { endpoint } : {}),
    ...(credentials ? { credentials } : {}),
    maxAttempts: 3,
    ...(inProcess
      ? { requestHandler: inProcess, signer: unsigned }
      : { requestHandler: new ProxyingHandler(environment) }),
  };
}
