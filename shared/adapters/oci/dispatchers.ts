import { createHash } from "node:crypto";
import { getCACertificates } from "node:tls";
import { LRUCache } from "lru-cache";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import type { RegistryAccess } from "../../ports/registry.ts";
import { proxyFor } from "../network/proxy.ts";
import type { Environment } from "../settings/environment.ts";
import { authoritiesFor, isInsecure } from "./registry-trust.ts";

/** Each cluster with its own authorities needs its own connections; few do at one time. */
const maxDispatchers = 32;
const connectionsPerHost = 16;
const connectMs = 5_000;
const idleMs = 30_000;

/** Connections to registries, kept by trust and proxy. */
export type Dispatchers = Readonly<{
  of(url: URL, access: RegistryAccess): Dispatcher;
  close(): void;
}>;

function open(authorities: string, isVerified: boolean, proxy: string | undefined): Dispatcher {
  const tls = isVerified
    ? authorities
      ? { ca: [...getCACertificates("default"), authorities] }
      : {}
    : { rejectUnauthorized: false };
  const pool = { connections: connectionsPerHost, keepAliveTimeout: idleMs, allowH2: false };
  const connect = { ...tls, timeout: connectMs };
  return proxy
    ? new ProxyAgent({ ...pool, uri: proxy, requestTls: connect })
    : new Agent({ ...pool, connect });
}

/** Returns connections that are shared by all requests with the same authorities and proxy. */
export function dispatchers(environment: Environment): Dispatchers {
  const kept = new LRUCache<string, Dispatcher>({
    max: maxDispatchers,
    // Requests that are under way end on an evicted one. Not awaited.
    dispose: (unused, _key, reason) =>
      void (reason === "evict" ? unused.close() : unused.destroy()).catch(() => undefined),
  });
  return {
    of(url, access) {
      const authorities = authoritiesFor(url.host, access);
      const { insecureHosts = [] } = access;
      const isVerified = !isInsecure(url.host, insecureHosts);
      const proxy = proxyFor(url, environment);
      const trust = createHash("sha256").update(authorities).digest("hex");
      const key = JSON.stringify([trust, isVerified, proxy ?? ""]);
      const dispatcher = kept.get(key) ?? open(authorities, isVerified, proxy);
      kept.set(key, dispatcher);
      return dispatcher;
    },
    close() {
      kept.clear();
    },
  };
}
