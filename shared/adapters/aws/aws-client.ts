import { NodeHttpHandler, type NodeHttpHandlerOptions } from "@smithy/node-http-handler";
import { proxyFor } from "../network/proxy.ts";
import { withBatch } from "../network/requests.ts";
import type { Environment } from "../settings/environment.ts";
import type { AwsConnection } from "./aws-connection.ts";

/** The timeout of one request. It must be longer than a long poll, which takes at most 20 seconds. */
const requestTimeoutMs = 25_000;
const connectionTimeoutMs = 2_000;
/** With the SDK's default of 50, long polls could use all sockets, and sends would have to wait. */
const maxSockets = 200;

function httpHandler(proxy: string | undefined): NodeHttpHandler {
  const agent = { keepAlive: true, maxSockets };
  const options: NodeHttpHandlerOptions = {
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // By default, the SDK only warns about a request that exceeds its timeout.
    throwOnRequestTimeout: true,
    httpAgent: { ...agent, ...(proxy ? { proxyEnv: { HTTP_PROXY: proxy } } : {}) },
    httpsAgent: { ...agent, ...(proxy ? { proxyEnv: { HTTPS_PROXY: proxy } } : {}) },
  };
  return new NodeHttpHandler(options);
}

/** Returns a signal that aborts when the request is aborted, or when the current message batch fails or times out. */
export function signalOf({ abortSignal }: Parameters<NodeHttpHandler["handle"]>[1] = {}): AbortSignal {
  return withBatch(abortSignal instanceof AbortSignal ? abortSignal : undefined);
}

/** Chooses a proxy for each request, since the queues of one client may be on different hosts. */
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
