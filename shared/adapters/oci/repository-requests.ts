import { tryParseImageReference } from "../../domain/images/image-reference.ts";
import type { Credential } from "../../domain/images/pull-secret.ts";
import { type RegistryAccess, RegistryError } from "../../ports/registry.ts";
import { isInsecure, trustKey } from "../network/registry-trust.ts";
import { type Authorization, fingerprint } from "./authorization.ts";
import { networkError, readBody, responseError } from "./body.ts";
import type { RegistryResponse } from "./exchange.ts";
import { credentialFor, programFor } from "./pull-secret.ts";

/** The location of an image: its registry, and the path and version within the registry. */
export type ImageLocation = Readonly<{
  /** `host[:port]`, as in image references. */
  host: string;
  path: string;
  /** A digest or a tag. `latest` if the reference has neither. */
  version: string;
}>;

/** Returns the location of an image. Throws `RegistryError` if the reference is incomplete. */
export function locationOf(image: string): ImageLocation {
  const reference = tryParseImageReference(image);
  if (!reference)
    throw new RegistryError(
      "InvalidReference",
      `${image.slice(0, 300)} is not a full image reference such as quay.io/acme/app:v1.`,
    );
  const { repository, tag, digest } = reference;
  const slash = repository.indexOf("/");
  return {
    host: repository.slice(0, slash),
    path: repository.slice(slash + 1),
    version: digest ?? tag ?? "latest",
  };
}

/** Returns `host/path:tag` or `host/path@digest`. */
export function locationText({ host, path, version }: ImageLocation): string {
  return `${host}/${path}${version.includes(":") ? "@" : ":"}${version}`;
}

/** Returns the host of a registry's API. It differs from the host in references only for Docker Hub. */
export function apiHost(host: string): string {
  return host === "docker.io" ? "registry-1.docker.io" : host;
}

/** One call of the registry port. `what` begins the message of every error. */
export type Call = Readonly<{
  location: ImageLocation;
  access: RegistryAccess;
  signal: AbortSignal;
  what: string;
}>;

/** Requests to the repository of a `Call`. `suffix` follows the repository's path in the URL. */
export type RepositoryRequests = Readonly<{
  ask(call: Call, method: "GET" | "HEAD", suffix: string, accept?: string): Promise<RegistryResponse>;
  /** Returns a response whose body is the layer. `what` begins the message of an error about the layer. */
  askLayer(call: Call, digest: string): Promise<Readonly<{ response: RegistryResponse; what: string }>>;
  /** Returns the response with its whole body. Undefined for 404. */
  fetchBody(
    call: Call,
    suffix: string,
    options: Readonly<{ limit: number; accept?: string }>,
  ): Promise<Readonly<{ bytes: Buffer; response: RegistryResponse }> | undefined>;
}>;

function credentialOf({ location, access }: Call): Credential | undefined {
  return credentialFor(access.pullSecret, `${location.host}/${location.path}`);
}

/** Returns a cache key. Calls share it only with the same credential, trusted CAs and unverified hosts. */
export function cacheKey(call: Call, ...more: readonly string[]): string {
  const { location, access } = call;
  const credential = credentialOf(call);
  return fingerprint(
    location.host,
    location.path,
    credential && JSON.stringify(credential),
    trustKey(access),
    ...more,
  );
}

/** Returns the error for an unsuccessful status. If a credential helper has the login, the error names the helper. */
export function refusal(call: Call, status: number, what = call.what): RegistryError {
  const { access, location } = call;
  const isRefused = [401, 403].includes(status) && !credentialOf(call);
  const program = isRefused ? programFor(access.pullSecret, location.host) : undefined;
  return program
    ? new RegistryError(
        "Unauthorized",
        `${what}: the registry requires a login (${status}), which the pull secret delegates to ${program}; hubrelay does not run credential helpers`,
      )
    : responseError(status, what);
}

function loginWithheld({ what, location: { host } }: Call): RegistryError {
  return new RegistryError(
    "Unauthorized",
    `${what}: the registry requires a login, but ${host} uses plain HTTP, over which no credentials are sent. Fix: serve TLS on ${host}; while it is listed as insecure, its certificate is not verified.`,
  );
}

/** How long requests to a host without TLS use plain HTTP. After that, TLS is tried again. */
const plainMs = 60_000;

export function repositoryRequests(authorization: Authorization, now: () => number): RepositoryRequests {
  const plainUntil = new Map<string, number>();

  async function ask(
    call: Call,
    method: "GET" | "HEAD",
    suffix: string,
    accept?: string,
  ): Promise<RegistryResponse> {
    const { location, access, signal, what } = call;
    const request = (scheme: "https" | "http", credential: Credential | undefined) =>
      authorization.ask({
        what,
        method,
        url: new URL(
          `${scheme}://${apiHost(location.host)}/v2/${location.path}${location.path && "/"}${suffix}`,
        ),
        access,
        signal,
        repository: location.path,
        credential,
        ...(accept ? { accept } : {}),
      });
    const credential = credentialOf(call);

    /** Sends the request without a credential, since over plain HTTP anybody on the network could read it. */
    async function askOverPlainHttp(): Promise<RegistryResponse> {
      try {
        const response = await request("http", undefined);
        if (!credential || ![401, 403].includes(response.statusCode)) return response;
        await response.body.dump();
      } catch (error) {
        if (!credential || networkError(error, what).code !== "Unauthorized") throw error;
      }
      throw loginWithheld(call);
    }

    const mayUseHttp = isInsecure(location.host, access.insecureHosts);
    if (mayUseHttp && (plainUntil.get(location.host) ?? 0) > now()) return askOverPlainHttp();
    try {
      return await request("https", credential);
    } catch (error) {
      const registryError = networkError(error, what);
      const isWithoutTls = ["Untrusted", "Unavailable"].includes(registryError.code);
      if (!mayUseHttp || signal.aborted || !isWithoutTls) throw registryError;
      const response = await askOverPlainHttp();
      plainUntil.set(location.host, now() + plainMs);
      return response;
    }
  }

  return {
    ask,
    async askLayer(call, digest) {
      const what = `${call.what}: layer ${digest.slice(0, 19)}`;
      const response = await ask(call, "GET", `blobs/${digest}`);
      if (response.statusCode === 200) return { response, what };
      await response.body.dump();
      throw refusal(call, response.statusCode, what);
    },
    async fetchBody(call, suffix, { limit, accept }) {
      const response = await ask(call, "GET", suffix, accept);
      if (response.statusCode !== 200) {
        await response.body.dump();
        if (response.statusCode === 404) return undefined;
        throw refusal(call, response.statusCode);
      }
      return { bytes: await readBody(response, limit, call.what), response };
    },
  };
}
