import { fieldsOf } from "../../domain/kubernetes/json/values.ts";
import {
  type ImageChoice,
  type ImageLayer,
  type Registry,
  type RegistryAccess,
  type RegistryCatalog,
  type RegistryContents,
  RegistryError,
  type RegistryImage,
} from "../../ports/registry.ts";
import { boundedCache } from "../../registry/bounded-cache.ts";
import { withBatch } from "../network/requests.ts";
import type { Environment } from "../settings/environment.ts";
import { authorization } from "./authorization.ts";
import { checkDigest, digestOf, type Fields, jsonOf } from "./body.ts";
import { registryCatalog } from "./catalog.ts";
import { isThere, registryContents, visitImage } from "./contents.ts";
import { openExchange } from "./exchange.ts";
import { choosePlatform, manifestTypes, readManifest } from "./manifest.ts";
import {
  type Call,
  cacheKey,
  type ImageLocation,
  locationOf,
  locationText,
  type RepositoryRequests,
  repositoryRequests,
} from "./repository-requests.ts";

export type OciRegistryOptions = Readonly<{
  userAgent?: string;
  /** The timeout of one attempt until the response begins. */
  attemptTimeoutMs?: number;
  /** The maximum number of attempts if the registry does not respond or returns 429 or 5xx. By default 3. */
  maxAttempts?: number;
  /** The timeout of one call with all its requests. A call that reads layers has ten times as long. */
  callTimeoutMs?: number;
  retryMs?: Readonly<{ first: number; max: number }>;
  /** How long the response for a tag is cached. A tag may be moved to another image. */
  tagLifetimeMs?: number;
  /** How long it is cached that an image is missing. By default `tagLifetimeMs`. */
  missingLifetimeMs?: number;
  /** How long a manifest requested by digest is cached. By default forever, since its content never changes. */
  contentLifetimeMs?: number;
  /** After a timeout, all requests to the host fail at once for this time. */
  cooldownMs?: number;
  environment?: Environment;
  now?: () => number;
}>;

const maxManifestBytes = 4 * 1024 * 1024;
const maxConfigBytes = 8 * 1024 * 1024;
const maxFileBytes = 32 * 1024 * 1024;
const cacheCapacity = 2000;
const layerTimeoutFactor = 10;

type StoredManifest = Readonly<{ digest: string; content: Fields; size: number }>;

async function fetchManifest(
  { fetchBody }: RepositoryRequests,
  call: Call,
  version: string,
): Promise<StoredManifest | undefined> {
  const body = await fetchBody(call, `manifests/${version}`, {
    limit: maxManifestBytes,
    accept: manifestTypes,
  });
  if (!body) return undefined;
  const { bytes, response } = body;
  if (version.includes(":")) checkDigest(bytes, version, call.what);
  const sentDigest = response.headers["docker-content-digest"];
  if (typeof sentDigest === "string") checkDigest(bytes, sentDigest, call.what);
  const digest = version.includes(":") ? version : digestOf(bytes);
  return { digest, content: jsonOf(bytes, call.what), size: bytes.length };
}

/** Returns a client for the OCI distribution API. It caches responses by credential and trusted CAs. */
export function ociRegistry(
  options: OciRegistryOptions = {},
): Registry & RegistryContents & RegistryCatalog & Readonly<{ close(): void }> {
  const { callTimeoutMs = 20_000, tagLifetimeMs = 60_000, now = Date.now } = options;
  const { contentLifetimeMs = Number.POSITIVE_INFINITY, missingLifetimeMs = tagLifetimeMs } = options;
  const exchange = openExchange({
    userAgent: options.userAgent ?? "hubrelay",
    attemptTimeoutMs: options.attemptTimeoutMs ?? 8_000,
    maxAttempts: options.maxAttempts ?? 3,
    retryMs: options.retryMs ?? { first: 250, max: 2_000 },
    cooldownMs: options.cooldownMs ?? 30_000,
    environment: options.environment ?? {},
    now,
  });
  const requests = repositoryRequests(authorization(exchange, now), now);
  const { fetchBody } = requests;
  const lasting = (lifetimeMs: number) => ({
    capacity: cacheCapacity,
    lifetimeMs: (found: unknown) => (found === undefined ? missingLifetimeMs : lifetimeMs),
    now,
  });
  const digests = boundedCache<string | undefined>(lasting(tagLifetimeMs));
  const tagged = boundedCache<StoredManifest | undefined>(lasting(tagLifetimeMs));
  const stored = boundedCache<StoredManifest | undefined>(lasting(contentLifetimeMs));
  const configurations = boundedCache<Fields>(lasting(Number.POSITIVE_INFINITY));

  function callFor(location: ImageLocation, access: RegistryAccess, timeoutMs = callTimeoutMs): Call {
    const signal = withBatch(AbortSignal.timeout(timeoutMs));
    return { location, access, signal, what: locationText(location) };
  }

  function manifest(call: Call, version = call.location.version): Promise<StoredManifest | undefined> {
    const cache = version.includes(":") ? stored : tagged;
    return cache.get(cacheKey(call, version), () => fetchManifest(requests, call, version));
  }

  async function configuration(call: Call, { digest }: ImageLayer): Promise<Fields> {
    return configurations.get(cacheKey(call, digest), async () => {
      const body = await fetchBody(call, `blobs/${digest}`, { limit: maxConfigBytes });
      if (!body) throw new RegistryError("InvalidResponse", `${call.what}: the image has no configuration`);
      checkDigest(body.bytes, digest, call.what);
      return jsonOf(body.bytes, call.what);
    });
  }

  async function imageOf(
    call: Call,
    { architecture = "amd64" }: ImageChoice,
  ): Promise<RegistryImage | undefined> {
    const named = await manifest(call);
    if (!named) return undefined;
    const list = readManifest(named.content, call.what);
    const chosen = list.kind === "list" ? choosePlatform(list.platforms, architecture) : undefined;
    if (list.kind === "list" && !chosen) return undefined;
    const own = chosen ? await manifest(call, chosen.digest) : named;
    if (!own) return undefined;
    const read = readManifest(own.content, call.what);
    if (read.kind === "list")
      throw new RegistryError("InvalidResponse", `${call.what}: a list of manifests names another list`);
    const { config, layers } = read.image;
    const content = await configuration(call, config);
    const { Labels: labels } = fieldsOf(content.config);
    return {
      digest: own.digest,
      listDigest: named.digest,
      architecture: String(content.architecture ?? chosen?.architecture ?? ""),
      os: String(content.os ?? chosen?.os ?? ""),
      labels: Object.fromEntries(
        Object.entries(fieldsOf(labels)).flatMap(([name, value]) =>
          typeof value === "string" ? [[name, value] as const] : [],
        ),
      ),
      layers,
      size: layers.reduce((sum, { size }) => sum + size, own.size + config.size),
    };
  }

  return {
    async digest(image, access = {}) {
      const call = callFor(locationOf(image), access);
      const { version } = call.location;
      // A tag's digest is computed from the content, since the response's header could name any digest.
      if (!version.includes(":")) return (await manifest(call))?.digest;
      const isPresent = () => isThere(requests, call, `manifests/${version}`, manifestTypes);
      return digests.get(cacheKey(call, version), async () => ((await isPresent()) ? version : undefined));
    },

    image: async (image, access = {}, choice = {}) => imageOf(callFor(locationOf(image), access), choice),

    async files(image, paths, access = {}, choice = {}) {
      const call = callFor(locationOf(image), access, callTimeoutMs * layerTimeoutFactor);
      const found = await imageOf(call, choice);
      const files = new Map<string, string>();
      const wanted = { paths, maxBytes: maxFileBytes };
      if (found)
        await visitImage(requests, call, found, wanted, (path, text) => {
          files.set(path, text);
        });
      return files;
    },

    ...registryContents({
      requests,
      callFor: (image, access = {}, isLong = false) =>
        callFor(locationOf(image), access, isLong ? callTimeoutMs * layerTimeoutFactor : callTimeoutMs),
      manifest: (call) => manifest(call),
      image: (call, choice = {}) => imageOf(call, choice),
    }),

    ...registryCatalog({ requests, callFor: (location, access = {}) => callFor(location, access) }),

    certificates: exchange.certificates,
    close: exchange.close,
  };
}

/**
 * Opens a registry client that caches manifests for at most a minute, since images may be removed. It never caches that
 * an image is missing, since people wait for the image to appear.
 */
export function openFreshRegistry(environment: Environment): ReturnType<typeof ociRegistry> {
  return ociRegistry({ environment, maxAttempts: 2, contentLifetimeMs: 60_000, missingLifetimeMs: 0 });
}
