import { hash } from "node:crypto";
import type { Credential } from "../../domain/images/pull-secret.ts";
import { RegistryError } from "../../ports/registry.ts";
import { boundedCache } from "../../registry/bounded-cache.ts";
import { trustKey } from "../network/registry-trust.ts";
import { jsonOf, readBody, responseError } from "./body.ts";
import type { Exchange, RegistryRequest, RegistryResponse } from "./exchange.ts";

const maxTokens = 1000;
const maxTokenBytes = 256 * 1024;
/** The lifetime of a token if the response states no lifetime. Source: distribution, token authentication. */
const minLifetimeSeconds = 60;
const expiryMarginSeconds = 10;
const maxLifetimeSeconds = 3600;

type Grant = Readonly<{ header: string; lifetimeMs: number }>;

/** A request for one repository. `credential` is sent only if the registry requires it. */
export type GuardedRequest = Omit<RegistryRequest, "authorization"> &
  Readonly<{ repository: string; credential: Credential | undefined }>;

/** Returns a hash of the values, for cache keys: a key must not contain a credential. */
export function fingerprint(...parts: readonly (string | undefined)[]): string {
  return hash("sha256", JSON.stringify(parts));
}

export type Authorization = Readonly<{ ask(request: GuardedRequest): Promise<RegistryResponse> }>;

function lifetimeSecondsOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === "number" && expiresIn > 0 ? expiresIn : minLifetimeSeconds;
  return Math.max(0, Math.min(seconds, maxLifetimeSeconds) - expiryMarginSeconds);
}

type TokenRequest = Pick<RegistryRequest, "method" | "url" | "authorization" | "form">;

/** Returns the request for a bearer token, with a password or anonymous. Source: distribution, token authentication. */
function requestByQuery(
  realm: URL,
  service: string | undefined,
  scopes: readonly string[],
  basic: string | undefined,
): TokenRequest {
  const url = new URL(realm);
  if (service) url.searchParams.set("service", service);
  for (const scope of scopes) url.searchParams.append("scope", scope);
  return { method: "GET", url, ...(basic ? { authorization: `Basic ${basic}` } : {}) };
}

/** An identity token is sent in a form, never in a URL. Source: distribution, OAuth2 tokens. */
function requestByForm(
  realm: URL,
  service: string | undefined,
  scopes: readonly string[],
  identityToken: string,
): TokenRequest {
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    client_id: "hubrelay",
    refresh_token: identityToken,
    ...(service ? { service } : {}),
    ...(scopes.length > 0 ? { scope: scopes.join(" ") } : {}),
  });
  return { method: "POST", url: realm, form: form.toString() };
}

async function tokenFrom(
  exchange: Exchange,
  realm: URL,
  parameters: Challenge["parameters"],
  { what, access, signal, credential }: GuardedRequest,
): Promise<Grant> {
  const { service, scope } = parameters;
  const scopes = scope?.split(" ").filter((one) => one !== "") ?? [];
  const from = `${what}: a token from ${realm.host}`;
  const common = { what: from, access, signal };
  const response = await exchange.ask(
    credential?.identityToken === undefined
      ? { ...common, ...requestByQuery(realm, service, scopes, credential?.basic) }
      : { ...common, ...requestByForm(realm, service, scopes, credential.identityToken) },
  );
  const bytes = await readBody(response, maxTokenBytes, from);
  if (response.statusCode !== 200) throw responseError(response.statusCode, from);
  const { token, access_token, expires_in } = jsonOf(bytes, from);
  const bearer = [token, access_token].find((one) => typeof one === "string" && one !== "");
  if (typeof bearer !== "string")
    throw new RegistryError("InvalidResponse", `${from}: the response has no token`);
  return { header: `Bearer ${bearer}`, lifetimeMs: lifetimeSecondsOf(expires_in) * 1000 };
}

async function grantFor(exchange: Exchange, challenge: Challenge, request: GuardedRequest): Promise<Grant> {
  const { what, url, credential } = request;
  if (challenge.scheme === "basic")
    return { header: `Basic ${credential?.basic}`, lifetimeMs: maxLifetimeSeconds * 1000 };
  // Only the registry itself gets a registry token. Behaviour: github.com/docker/docker, distribution.
  if (credential?.registryToken)
    return { header: `Bearer ${credential.registryToken}`, lifetimeMs: maxLifetimeSeconds * 1000 };
  const { realm = "" } = challenge.parameters;
  const service = URL.parse(realm);
  // The registry names the token service, possibly on another host. A password is never sent from TLS to plain HTTP.
  const isSafe =
    service?.protocol === "https:" || (service?.protocol === "http:" && url.protocol === "http:");
  if (!service || !isSafe || service.username !== "" || service.password !== "")
    throw new RegistryError("InvalidResponse", `${what}: the registry names no safe token service`);
  return tokenFrom(exchange, service, challenge.parameters, request);
}

/** Returns a client that sends a password or token only if the registry has required it for the repository. */
export function authorization(exchange: Exchange, now: () => number): Authorization {
  const grants = boundedCache<Grant>({
    capacity: maxTokens,
    lifetimeMs: ({ lifetimeMs }) => lifetimeMs,
    now,
  });

  return {
    /** Sends the request, and returns the registry's last response, which may be 401 or 403. */
    async ask(request: GuardedRequest): Promise<RegistryResponse> {
      const { repository, credential, ...plain } = request;
      const key = fingerprint(
        request.url.origin,
        repository,
        credential && JSON.stringify(credential),
        trustKey(request.access),
      );
      const known = await grants.peek(key);
      const response = await exchange.ask({ ...plain, ...(known ? { authorization: known.header } : {}) });
      const challenge = response.statusCode === 401 ? challengeOf(response) : undefined;
      if (!challenge || (challenge.scheme === "basic" && !credential?.basic)) return response;
      await response.body.dump();
      // The registry has rejected the token, perhaps since it was revoked early.
      if (known) grants.forget(key);
      const { header } = await grants.get(key, () => grantFor(exchange, challenge, request));
      return exchange.ask({ ...plain, authorization: header });
    },
  };
}

function challengeOf({ headers }: RegistryResponse): Challenge | undefined {
  const header = headers["www-authenticate"] ?? "";
  return parseChallenge(Array.isArray(header) ? header.join(", ") : header);
}

/** The authentication that a registry requires. The scheme is in lower case. */
export type Challenge = Readonly<{ scheme: string; parameters: Readonly<Record<string, string>> }>;

const maxHeaderLength = 8192;
/** One parameter after the scheme, with or without quotes (RFC 9110, 11.6.1). */
const parameter =
  /([A-Za-z][\w-]{0,63})[ \t]{0,8}=[ \t]{0,8}(?:"((?:[^"\\]|\\.){0,4096})"|([^\s,"]{1,4096}))/g;

function parseChallenge(header: string): Challenge | undefined {
  const text = header.slice(0, maxHeaderLength);
  const [, scheme, rest = ""] = /(?:^|,)[ \t]*(bearer|basic)(?:[ \t]+([^\r\n]*))?$/i.exec(text) ?? [];
  if (!scheme) return undefined;
  const parameters = [...rest.matchAll(parameter)].map(
    ([, name = "", quoted, plain = ""]) =>
      [name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain] as const,
  );
  return { scheme: scheme.toLowerCase(), parameters: Object.fromEntries(parameters) };
}
