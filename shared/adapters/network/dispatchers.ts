import { createSecureContext, type DetailedPeerCertificate, getCACertificates, TLSSocket } from "node:tls";
import { LRUCache } from "lru-cache";
import { Agent, buildConnector, type Dispatcher, interceptors, ProxyAgent } from "undici";
import type { Validity } from "../../domain/ready/access-ends.ts";
import type { RegistryAccess } from "../../ports/registry.ts";
import type { Environment } from "../settings/environment.ts";
import { proxyFor } from "./proxy.ts";
import { authoritiesFor, authoritiesKey, isInsecure } from "./registry-trust.ts";

/** Maximum of recorded hosts (registries and their token services); a cluster uses fewer. */
const maxHosts = 200;
/** Maximum of certificates read from one chain; real chains are shorter. */
const maxChain = 10;

/** Returns the validity of a certificate chain: the certificate that ends first decides. */
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

/** Returns connectors that record the validity of servers' certificates in `noted`, by `host[:port]`. */
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

/** Maximum of cached dispatchers. Each cluster with its own certificate authorities needs one; few are in use at a time. */
const maxDispatchers = 32;
const connectionsPerHost = 16;
const connectMs = 5_000;
const idleMs = 30_000;
const maxRedirections = 5;

/** Connections to registries, cached by certificate authorities, verification and proxy. */
export type Dispatchers = Readonly<{
  of(url: URL, access: RegistryAccess): Dispatcher;
  /** Returns a dispatcher that follows up to five redirects; a further redirect is returned as a response. */
  following(url: URL, access: RegistryAccess): Dispatcher;
  /** The validity of servers' certificates, by `host[:port]`; servers behind a proxy are absent. */
  certificates: ReadonlyMap<string, Validity>;
  close(): void;
}>;

/** Returns the TLS context for all connections of a dispatcher: parsing hundreds of certificates is slow. */
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
 * Sends each redirected request over the connections of the host in its new URL. A redirect from TLS to plain HTTP is
 * refused. A challenge in the response after a redirect is removed, since it could name a foreign token service. undici
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

/** Returns the connections; requests with the same certificate authorities, verification and proxy share them. */
export function dispatchers(environment: Environment): Dispatchers {
  const ends = certificateEnds();
  const kept = new LRUCache<string, Dispatcher>({
    max: maxDispatchers,
    // Requests in progress on an evicted dispatcher finish; nothing waits for them.
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
