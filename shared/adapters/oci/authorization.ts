import { createHash } from "node:crypto";
import type { Credential } from "../../domain/credentials/pull-secret.ts";
import { RegistryError } from "../../ports/registry.ts";
import { authoritiesFor } from "./authorities.ts";
import { jsonOf, readBody } from "./body.ts";
import { type BoundedCache, boundedCache } from "./bounded-cache.ts";
import type { Exchange, RegistryAnswer, RegistryRequest } from "./exchange.ts";
import { answerError } from "./trouble.ts";

const mostTokens = 1000;
const longestTokenBytes = 256 * 1024;
/** Where the service does not say: the least that the token specification allows. */
const shortestLifeSeconds = 60;
/** So that a token does not expire on its way. */
const marginSeconds = 10;
const longestLifeSeconds = 3600;

/** An Authorization header, and for how long it can be used again. */
type Grant = Readonly<{ header: string; lifeMs: number }>;

/** A request of one repository, with the credential for it, if there is one. */
export type GuardedRequest = Omit<RegistryRequest, "authorization"> &
  Readonly<{ repository: string; credential: Credential | undefined }>;

/** Text that names a credential and whom it is used with, and does not tell what it is. */
export function fingerprint(...parts: readonly (string | undefined)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

export type Authorization = Readonly<{ ask(request: GuardedRequest): Promise<RegistryAnswer> }>;

function lifeSecondsOf(expiresIn: unknown): number {
  const told = typeof expiresIn === "number" && expiresIn > 0 ? expiresIn : shortestLifeSeconds;
  return Math.max(0, Math.min(told, longestLifeSeconds) - marginSeconds);
}

type TokenQuestion = Pick<RegistryRequest, "method" | "url" | "authorization" | "form">;

/** For a token in exchange for a password, or for nothing. Source: distribution, token authentication. */
function askedByQuery(
  realm: URL,
  service: string | undefined,
  scopes: readonly string[],
  basic: string | undefined,
): TokenQuestion {
  const url = new URL(realm);
  if (service) url.searchParams.set("service", service);
  for (const scope of scopes) url.searchParams.append("scope", scope);
  return { method: "GET", url, ...(basic ? { authorization: `Basic ${basic}` } : {}) };
}

/** For a token in exchange for an identity token, which belongs into no URL. Source: distribution, OAuth2 tokens. */
function askedByForm(
  realm: URL,
  service: string | undefined,
  scopes: readonly string[],
  identityToken: string,
): TokenQuestion {
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    client_id: "hubrelay",
    refresh_token: identityToken,
    ...(service ? { service } : {}),
    ...(scopes.length > 0 ? { scope: scopes.join(" ") } : {}),
  });
  return { method: "POST", url: realm, form: form.toString() };
}

/** Lets a client in: asks first, and again with what the registry then wants, a password or a bearer token. */
export function authorization(exchange: Exchange, now: () => number): Authorization {
  const grants: BoundedCache<Grant> = boundedCache({
    capacity: mostTokens,
    lifetimeMs: ({ lifeMs }) => lifeMs,
    now,
  });

  async function tokenFrom(
    realm: URL,
    parameters: Challenge["parameters"],
    { what, access, signal, credential }: GuardedRequest,
  ): Promise<Grant> {
    const { service, scope } = parameters;
    const scopes = scope?.split(" ").filter((one) => one !== "") ?? [];
    const from = `${what}: a token of ${realm.host}`;
    const common = { what: from, access, signal };
    const answer = await exchange.ask(
      credential?.identityToken === undefined
        ? { ...common, ...askedByQuery(realm, service, scopes, credential?.basic) }
        : { ...common, ...askedByForm(realm, service, scopes, credential.identityToken) },
    );
    const bytes = await readBody(answer, longestTokenBytes, from);
    if (answer.statusCode !== 200) throw answerError(answer.statusCode, from);
    const { token, access_token, expires_in } = jsonOf(bytes, from);
    const bearer = [token, access_token].find((one) => typeof one === "string" && one !== "");
    if (typeof bearer !== "string") throw new RegistryError("InvalidAnswer", `${from}: the answer has none`);
    return { header: `Bearer ${bearer}`, lifeMs: lifeSecondsOf(expires_in) * 1000 };
  }

  /** What the registry wants to see. */
  async function grantFor(challenge: Challenge, request: GuardedRequest): Promise<Grant> {
    const { what, url, credential } = request;
    if (challenge.scheme === "basic")
      return { header: `Basic ${credential?.basic}`, lifeMs: longestLifeSeconds * 1000 };
    // It counts before all others, and nobody else sees it. Behaviour: github.com/docker/docker, distribution.
    if (credential?.registryToken)
      return { header: `Bearer ${credential.registryToken}`, lifeMs: longestLifeSeconds * 1000 };
    const { realm = "" } = challenge.parameters;
    const service = URL.canParse(realm) ? new URL(realm) : undefined;
    // A password goes to where the registry says, as everywhere, but not from TLS to plain HTTP.
    const isSafe =
      service?.protocol === "https:" || (service?.protocol === "http:" && url.protocol === "http:");
    if (!service || !isSafe)
      throw new RegistryError(
        "InvalidAnswer",
        `${what}: the registry names no place for tokens that is safe`,
      );
    return tokenFrom(service, challenge.parameters, request);
  }

  return {
    /** The answer, with the client let in where that is possible; 401 and 403 are answers, too. */
    async ask(request: GuardedRequest): Promise<RegistryAnswer> {
      const { repository, credential, ...plain } = request;
      const key = fingerprint(
        request.url.origin,
        repository,
        credential && JSON.stringify(credential),
        authoritiesFor(request.url.host, request.access),
      );
      const known = await grants.peek(key);
      const answer = await exchange.ask({ ...plain, ...(known ? { authorization: known.header } : {}) });
      const challenge = answer.statusCode === 401 ? challengeOf(answer) : undefined;
      if (!challenge || (challenge.scheme === "basic" && !credential?.basic)) return answer;
      await answer.body.dump();
      // A token may be withdrawn before its time.
      if (known) grants.forget(key);
      const { header } = await grants.get(key, () => grantFor(challenge, request));
      return exchange.ask({ ...plain, authorization: header });
    },
  };
}

function challengeOf({ headers }: RegistryAnswer): Challenge | undefined {
  const wanted = headers["www-authenticate"] ?? "";
  return parseChallenge(Array.isArray(wanted) ? wanted.join(", ") : wanted);
}

/** What a registry asks for when it lets nobody in: its scheme in lower case, and the scheme's parameters. */
export type Challenge = Readonly<{ scheme: string; parameters: Readonly<Record<string, string>> }>;

const longestHeader = 8192;
/** One parameter after the scheme, quoted or not (RFC 9110, 11.6.1). */
const parameter =
  /([A-Za-z][\w-]{0,63})[ \t]{0,8}=[ \t]{0,8}(?:"((?:[^"\\]|\\.){0,4096})"|([^\s,"]{1,4096}))/g;

/** Reads a WWW-Authenticate header, the first challenge of a kind that registries use; undefined when it has none. */
export function parseChallenge(header: string): Challenge | undefined {
  const text = header.slice(0, longestHeader);
  const [, scheme, rest = ""] = /(?:^|,)[ \t]*(bearer|basic)(?:[ \t]+([^\r\n]*))?$/i.exec(text) ?? [];
  if (!scheme) return undefined;
  const parameters = [...rest.matchAll(parameter)].map(
    ([, name = "", quoted, plain = ""]) =>
      [name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain] as const,
  );
  return { scheme: scheme.toLowerCase(), parameters: Object.fromEntries(parameters) };
}
