import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { AgentOptions, RequestOptions } from "node:https";
import type { ConnectionOptions } from "node:tls";
import { isDeepStrictEqual } from "node:util";
import type { DispatcherOptions, KubeConfig } from "@kubernetes/client-node";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { fieldsOf, parseJson } from "../../../domain/kubernetes/json/values.ts";
import { firstLineOf } from "../../../domain/text/error-text.ts";
import { HubError } from "../../../ports/hub.ts";
import { proxyFor } from "../../network/proxy.ts";
import { type Environment, EnvironmentError } from "../../settings/environment.ts";

function endOfToken(token: string): Date | undefined {
  const [, payload = ""] = token.trim().split(".");
  const { exp } = fieldsOf(parseJson(Buffer.from(payload, "base64url").toString()));
  return typeof exp === "number" ? new Date(exp * 1000) : undefined;
}

/** Returns when the user's token or client certificate expires; undefined if unknown, or if the login is renewed. */
export async function credentialsEnd(config: KubeConfig): Promise<Date | undefined> {
  const user = config.getCurrentUser();
  if (user?.token) return endOfToken(user.token);
  try {
    const certificate = user?.certData
      ? Buffer.from(user.certData, "base64")
      : user?.certFile && (await readFile(user.certFile));
    return certificate ? new X509Certificate(certificate).validToDate : undefined;
  } catch {
    return undefined; // the first request reports the invalid certificate
  }
}

/** Reads the kubeconfig again from its source, such as a file or a secret. */
export type LoadKubeConfig = () => Promise<KubeConfig> | KubeConfig;

/** An API server's address, a connection pool and the current credentials. */
export type Access = Readonly<{
  server: URL;
  headers: Readonly<Record<string, string>>;
  dispatcher: Dispatcher;
  /** How many times the kubeconfig was read again before these credentials were taken from it. */
  generation: number;
}>;

type Options = AgentOptions & Pick<RequestOptions, "headers" | "auth">;

/** A connection is closed after this time without a request. Load balancers drop idle connections after a minute. */
const idleMs = 30_000;
const pool = {
  // Each watch occupies a connection for minutes, in addition to the connections of requests.
  connections: 128,
  keepAliveTimeout: idleMs,
  // With HTTP/1 a timeout closes the connection. With HTTP/2 it would not, and a dead session would fail all requests.
  allowH2: false,
};
const socket = { timeout: 10_000, keepAlive: true, keepAliveInitialDelay: idleMs };

/** Returns a new connection pool for many requests. The client library itself would open a pool for every request. */
function openDispatcher(options: DispatcherOptions): Dispatcher {
  const tls: Omit<ConnectionOptions, "port"> =
    options.type === "agent" ? options.connect : options.type === "none" ? {} : options.requestTls;
  const connect = { ...tls, ...socket };
  if ("uri" in options) return new ProxyAgent({ ...pool, uri: options.uri, requestTls: connect });
  return new Agent({ ...pool, connect });
}

function headersOf({ headers = {}, auth }: Options): Readonly<Record<string, string>> {
  const own = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value.trim()] as const] : [],
  );
  const basic = auth ? [["Authorization", `Basic ${Buffer.from(auth).toString("base64")}`] as const] : [];
  return Object.fromEntries([...basic, ...own]);
}

/** Returns the server of the kubeconfig's current context. Throws `EnvironmentError` if it is missing or invalid. */
export function serverOf(config: KubeConfig): URL {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new EnvironmentError("The kubeconfig's current context names no cluster.");
  if (!config.getCurrentUser()) throw new EnvironmentError("The kubeconfig's current context names no user.");
  const server = URL.canParse(cluster.server) ? new URL(cluster.server) : undefined;
  if (!server || !["http:", "https:"].includes(server.protocol))
    throw new EnvironmentError(`The kubeconfig's cluster ${cluster.name} has no valid server URL.`);
  if (server.protocol === "http:" && !cluster.skipTLSVerify)
    throw new EnvironmentError(
      `The kubeconfig's cluster ${cluster.name} would send credentials in plain text; use https.`,
    );
  return server;
}

/** Returns functions for a kubeconfig's credentials and connections. Credentials are read again for every request. */
export function credentials(
  first: KubeConfig,
  { reload, environment }: Readonly<{ reload?: LoadKubeConfig | undefined; environment: Environment }>,
) {
  let config = first;
  let generation = 0;
  let renewing: Promise<void> | undefined;
  let kept: Readonly<{ options: DispatcherOptions; dispatcher: Dispatcher }> | undefined;

  function dispatcherFor(server: URL, options: Options): Dispatcher {
    const cluster = config.getCurrentCluster();
    const proxyUrl = cluster?.proxyUrl || proxyFor(server, environment);
    const wanted = config.createDispatcherOptions(
      cluster && proxyUrl ? { ...cluster, proxyUrl } : cluster,
      options,
    );
    if (kept && isDeepStrictEqual(kept.options, wanted)) return kept.dispatcher;
    // Requests in progress, including watches, finish on the old connections.
    kept?.dispatcher.close().catch(() => undefined); // already destroyed
    kept = { options: wanted, dispatcher: openDispatcher(wanted) };
    return kept.dispatcher;
  }

  async function load(reloaded: LoadKubeConfig): Promise<void> {
    const next = await reloaded();
    serverOf(next);
    config = next;
    generation++;
  }

  return {
    /** Throws a `HubError` with the code `Unauthorized` if the credentials cannot be read. */
    async access(what: string): Promise<Access> {
      const options: Options = {};
      try {
        await config.applyToHTTPSOptions(options);
      } catch (error) {
        throw credentialsError(error, what);
      }
      const server = serverOf(config);
      return { server, headers: headersOf(options), dispatcher: dispatcherFor(server, options), generation };
    },

    /** Reads the kubeconfig again, unless another request has done so. Returns false if `reload` is not set. */
    async renew(rejected: Access, what: string): Promise<boolean> {
      if (!reload) return false;
      if (rejected.generation !== generation) return true;
      renewing ??= load(reload).finally(() => {
        renewing = undefined;
      });
      try {
        await renewing;
      } catch (error) {
        throw credentialsError(error, what);
      }
      return true;
    },

    end: () => credentialsEnd(config),

    close(): void {
      kept?.dispatcher.destroy().catch(() => undefined); // aborted requests are not awaited
    },
  };
}

/** Never quotes the output of a credential plugin, which may contain a token. */
function credentialsError(error: unknown, what: string): HubError {
  const reason =
    error instanceof SyntaxError
      ? "the plugin's output is not an ExecCredential"
      : firstLineOf(error).slice(0, 160);
  return new HubError("Unauthorized", `${what}: the kubeconfig's credentials cannot be read: ${reason}`);
}
