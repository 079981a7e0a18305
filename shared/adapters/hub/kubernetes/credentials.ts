import { createHash } from "node:crypto";
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { redact } from "../../../domain/credentials/redact.ts";
import { HubError } from "../../../ports/hub.ts";
import { proxyFor } from "../../network/proxy.ts";
import { type Environment, EnvironmentError } from "../../settings/environment.ts";

/** Reads the kubeconfig again from its source. */
export type LoadKubeConfig = () => Promise<KubeConfig> | KubeConfig;

/** How to reach the hub now, and with which credentials. */
export type Access = Readonly<{
  server: URL;
  headers: Readonly<Record<string, string>>;
  dispatcher: Dispatcher;
  /** The number of the kubeconfig's reading that it comes from. */
  generation: number;
}>;

type Tls = Pick<
  RequestOptions,
  "ca" | "cert" | "key" | "pfx" | "passphrase" | "rejectUnauthorized" | "servername"
>;

/** Each watch occupies a connection for minutes; the rest is for requests. */
const connections = 128;
/** Load balancers drop idle connections after about a minute: close them first. */
const idleMs = 30_000;
const connectMs = 10_000;

function openDispatcher(tls: Tls, proxy: string | undefined): Dispatcher {
  const pool = { connections, keepAliveTimeout: idleMs, allowH2: false };
  const connect = { ...tls, timeout: connectMs, keepAlive: true, keepAliveInitialDelay: idleMs };
  if (!proxy) return new Agent({ ...pool, connect });
  return new ProxyAgent({ ...pool, uri: proxy, requestTls: connect });
}

function headersOf({ headers = {}, auth }: RequestOptions): Readonly<Record<string, string>> {
  const own = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value.trim()] as const] : [],
  );
  const basic = auth ? [["Authorization", `Basic ${Buffer.from(auth).toString("base64")}`] as const] : [];
  return Object.fromEntries([...basic, ...own]);
}

function tlsOf({ ca, cert, key, pfx, passphrase, rejectUnauthorized, servername }: RequestOptions): Tls {
  const all = { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function fingerprintOf(parts: Readonly<Record<string, unknown>>): string {
  const hash = createHash("sha256");
  for (const [name, value] of Object.entries(parts))
    hash.update(`\n${name}\n`).update(Buffer.isBuffer(value) ? value : String(value));
  return hash.digest("hex");
}

/** Returns the server of the kubeconfig's current context; throws `EnvironmentError` when it has no usable one. */
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

/**
 * Returns credentials of a kubeconfig, of any kind: they are read at every request, since tokens expire and certificate
 * files are replaced, while connections are kept until certificates or proxy change.
 */
export function credentials(
  first: KubeConfig,
  { reload, environment }: Readonly<{ reload?: LoadKubeConfig | undefined; environment: Environment }>,
) {
  let config = first;
  let generation = 0;
  let renewing: Promise<void> | undefined;
  let kept: Readonly<{ fingerprint: string; dispatcher: Dispatcher }> | undefined;

  function dispatcherFor(tls: Tls, proxy: string | undefined): Dispatcher {
    const fingerprint = fingerprintOf({ ...tls, proxy });
    if (kept?.fingerprint === fingerprint) return kept.dispatcher;
    retire(kept?.dispatcher);
    kept = { fingerprint, dispatcher: openDispatcher(tls, proxy) };
    return kept.dispatcher;
  }

  /** Running requests, watches among them, end on their current connections. */
  function retire(dispatcher: Dispatcher | undefined): void {
    dispatcher?.close().catch(() => undefined); // already destroyed
  }

  async function load(reloaded: LoadKubeConfig): Promise<void> {
    const next = await reloaded();
    serverOf(next);
    config = next;
    generation++;
  }

  return {
    /** Returns the server, and how to reach it. Throws `Unauthorized` when the credentials are not available. */
    async access(what: string): Promise<Access> {
      const options: RequestOptions = {};
      try {
        await config.applyToHTTPSOptions(options);
      } catch (error) {
        throw credentialsError(error, what);
      }
      const server = serverOf(config);
      const proxy = config.getCurrentCluster()?.proxyUrl || proxyFor(server, environment);
      return {
        server,
        headers: headersOf(options),
        dispatcher: dispatcherFor(tlsOf(options), proxy),
        generation,
      };
    },

    /** Reads the kubeconfig again after its credentials were rejected; returns false when that is not possible. */
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

    close(): void {
      kept?.dispatcher.destroy().catch(() => undefined); // aborted requests are not awaited
    },
  };
}

export type Credentials = ReturnType<typeof credentials>;

/**
 * Only the first line of an error goes to the log, and nothing of a credential plugin's output: a parser error would
 * quote a bare token.
 */
function credentialsError(error: unknown, what: string): HubError {
  const [line = ""] = error instanceof Error ? redact(error.message).split(/[\r\n]/, 1) : [];
  const reason =
    error instanceof SyntaxError ? "the plugin's output is not an ExecCredential" : line.slice(0, 160);
  return new HubError("Unauthorized", `${what}: the kubeconfig's credentials cannot be read: ${reason}`);
}
