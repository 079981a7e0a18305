import { createSecureContext, type DetailedPeerCertificate, getCACertificates, TLSSocket } from "node:tls";
import { LRUCache } from "lru-cache";
import { Agent, buildConnector, type Dispatcher, interceptors, ProxyAgent } from "undici";
import type { Validity } from "../../domain/ready/access-ends.ts";
import type { RegistryAccess } from "../../ports/registry.ts";
import type { Environment } from "../settings/environment.ts";
import { proxyFor } from "./proxy.ts";
import { authoritiesFor, authoritiesKey, isInsecure } from "./registry-trust.ts";

const maxHosts = 200;
const maxChain = 10;

/** A chain is valid until the first of its certificates expires. Undefined if a date is invalid. */
function validityOf(leaf: DetailedPeerCertificate): Validity | undefined {
  const ends: number[] = [];
  for (let one = leaf, depth = 0; depth < maxChain; depth++) {
    ends.push(Date.parse(one.valid_to));
    const next: DetailedPeerCertificate | undefined = one.issuerCertificate;
    if (!next?.valid_to || next === one) break;
    one = next;
  }
  const to = Math.min(...ends);
  return Number.isNaN(to) ? undefined : { from: new Date(leaf.valid_from), to: new Date(to) };
}

function certificateEnds(): Readonly<{
  noted: ReadonlyMap<string, Validity>;
  connector(options: buildConnector.BuildOptions): buildConnector.connector;
}> {
  const noted = new Map<string, Validity>();
  function note({ hostname, host = hostname }: buildConnector.Options, socket: unknown): void {
    // A resumed TLS session has no certificate chain.
    if (!(socket instanceof TLSSocket) || socket.isSessionReused()) return;
    const validity = validityOf(socket.getPeerCertificate(true));
    if (validity && (noted.has(host) || noted.size < maxHosts)) noted.set(host, validity);
  }
  return {
    noted,
    connector(options) {
      const connect = buildConnector(options);
      return (target, callback) =>
        connect(target, (...result) => {
          note(target, result[1]);
          callback(...result);
        });
    },
  };
}

/** Each cluster with its own certificate authorities needs a dispatcher, but few are in use at a time. */
const maxDispatchers = 32;
const connectionsPerHost = 16;
const connectMs = 5_000;
const idleMs = 30_000;
const maxRedirections = 5;

/** Connections to registries. Requests with the same certificate authorities, verification and proxy share them. */
export type Dispatchers = Readonly<{
  of(url: URL, access: RegistryAccess): Dispatcher;
  /** Returns a dispatcher that follows up to five redirects. A sixth redirect is returned as a response. */
  following(url: URL, access: RegistryAccess): Dispatcher;
  /** How long servers' certificates are valid, by `host[:port]`. Servers behind a proxy are absent. */
  certificates: ReadonlyMap<string, Validity>;
  close(): void;
}>;

/** Serves all connections of a dispatcher, since parsing hundreds of certificates is slow. */
function trustedContext(authorities: string) {
  return createSecureContext({ ca: [...getCACertificates("default"), authorities] });
}

type Trust = Readonly<{ authorities: string; isVerified: boolean; proxy: string | undefined }>;

function open(
  { authorities, isVerified, proxy }: Trust,
  { connector }: ReturnType<typeof certificateEnds>,
): Dispatcher {
  const tls = isVerified
    ? authorities
      ? { secureContext: trustedContext(authorities) }
      : {}
    : { rejectUnauthorized: false };
  const pool = { connections: connectionsPerHost, keepAliveTimeout: idleMs, allowH2: false };
  const connect = { ...tls, timeout: connectMs };
  return proxy
    ? new ProxyAgent({ ...pool, uri: proxy, requestTls: connect })
    : new Agent({ ...pool, connect: connector({ ...connect, allowH2: false }) });
}

/**
 * Sends each redirected request over the new host's own dispatcher, but never from TLS to plain HTTP. undici itself
 * sends a credential only to the origin for which it was given.
 */
function routed(
  of: Dispatchers["of"],
  from: URL,
  access: RegistryAccess,
): Dispatcher.DispatcherComposeInterceptor {
  return () => (options, handler) => {
    const url = new URL(String(options.origin));
    return of(url, access).dispatch(options, {
      onRequestStart: (...about) => handler.onRequestStart?.(...about),
      onResponseStart(controller, status, { location, "www-authenticate": challenge, ...headers }, text) {
        const next = typeof location === "string" ? URL.parse(location, url.href) : null;
        const isSafe =
          next?.protocol === "https:" || (next?.protocol === "http:" && url.protocol === "http:");
        // Another host, after a redirect, could name a foreign token service, so its challenge is removed.
        const kept = {
          ...headers,
          ...(isSafe && { location }),
          ...(challenge !== undefined && url.origin === from.origin && { "www-authenticate": challenge }),
        };
        handler.onResponseStart?.(controller, status, kept, text);
      },
      onResponseData: (...about) => handler.onResponseData?.(...about),
      onResponseEnd: (...about) => handler.onResponseEnd?.(...about),
      onResponseError: (...about) => handler.onResponseError?.(...about),
    });
  };
}

/** Returns connections that use the proxies named in `environment`. */
export function dispatchers(environment: Environment): Dispatchers {
  const ends = certificateEnds();
  const kept = new LRUCache<string, Dispatcher>({
    max: maxDispatchers,
    // Requests in progress on an evicted dispatcher finish.
    dispose: (unused, _key, reason) =>
      void (reason === "evict" ? unused.close() : unused.destroy()).catch(() => undefined),
  });
  const of = (url: URL, access: RegistryAccess): Dispatcher => {
    const { insecureHosts = [] } = access;
    const isVerified = !isInsecure(url.host, insecureHosts);
    const proxy = proxyFor(url, environment);
    const key = JSON.stringify([authoritiesKey(url.host, access), isVerified, proxy ?? ""]);
    const dispatcher =
      kept.get(key) ?? open({ authorities: authoritiesFor(url.host, access), isVerified, proxy }, ends);
    kept.set(key, dispatcher);
    return dispatcher;
  };
  return {
    of,
    following: (url, access) =>
      of(url, access).compose(routed(of, url, access), interceptors.redirect({ maxRedirections })),
    certificates: ends.noted,
    close() {
      kept.clear();
    },
  };
}
