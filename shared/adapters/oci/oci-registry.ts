import { isRecord } from "../../domain/json/values.ts";
import {
  type ImageChoice,
  type ImageLayer,
  type Registry,
  type RegistryAccess,
  RegistryError,
  type RegistryImage,
} from "../../ports/registry.ts";
import type { Environment } from "../settings/environment.ts";
import { authoritiesFor } from "./authorities.ts";
import { authorization, fingerprint } from "./authorization.ts";
import { checkDigest, digestOf, type Fields, jsonOf, readBody } from "./body.ts";
import { boundedCache } from "./bounded-cache.ts";
import { openExchange, type RegistryAnswer } from "./exchange.ts";
import { apiHost, type ImagePlace, placeOf, placeText } from "./image-place.ts";
import { isInsecure } from "./insecure-hosts.ts";
import { readLayerFiles } from "./layer-files.ts";
import { choosePlatform, manifestTypes, readManifest } from "./manifest.ts";
import { credentialFor, programFor } from "./pull-secret.ts";
import { answerError, networkError } from "./trouble.ts";

export type OciRegistryOptions = Readonly<{
  userAgent?: string;
  /** For one attempt at a request, until it is answered. */
  attemptTimeoutMs?: number;
  /** For one call of the port, with all attempts, tokens and redirects; a layer that is read has ten times as long. */
  callTimeoutMs?: number;
  retryMs?: Readonly<{ first: number; longest: number }>;
  /** How long an answer about a tag counts: tags move. */
  tagLifetimeMs?: number;
  /** How long a host that did not answer in time is not asked again. */
  silenceMs?: number;
  /** For HTTPS_PROXY and NO_PROXY. */
  environment?: Environment;
  now?: () => number;
}>;

const longestManifest = 4 * 1024 * 1024;
const longestConfig = 8 * 1024 * 1024;
const longestTagPage = 16 * 1024 * 1024;
const mostTagPages = 200;
const tagsOnPage = 1000;
const keptAnswers = 2000;
const layerPatience = 10;

/** A manifest as it was stored, with its digest. */
type StoredManifest = Readonly<{ digest: string; content: Fields; size: number }>;

/** One call of the port: where, as whom, and until when. */
type Call = Readonly<{ place: ImagePlace; access: RegistryAccess; signal: AbortSignal; what: string }>;

/**
 * Registries over HTTPS, by the OCI distribution specification. Tokens and passwords are given only where a registry
 * asks for them, answers are kept per credential, and everything ends in time.
 */
export function ociRegistry(options: OciRegistryOptions = {}): Registry & Readonly<{ close(): void }> {
  const { callTimeoutMs = 20_000, tagLifetimeMs = 60_000, now = Date.now } = options;
  const exchange = openExchange({
    userAgent: options.userAgent ?? "hubrelay",
    attemptTimeoutMs: options.attemptTimeoutMs ?? 8_000,
    retryMs: options.retryMs ?? { first: 250, longest: 2_000 },
    silenceMs: options.silenceMs ?? 30_000,
    environment: options.environment ?? {},
    now,
  });
  const { ask: askGuarded } = authorization(exchange, now);
  const forTags = { capacity: keptAnswers, lifetimeMs: () => tagLifetimeMs, now };
  const digests = boundedCache<string | undefined>(forTags);
  const tagged = boundedCache<StoredManifest | undefined>(forTags);
  const stored = boundedCache<StoredManifest | undefined>({
    ...forTags,
    // What has a digest never changes; what is not there may come.
    lifetimeMs: (found) => (found ? Number.POSITIVE_INFINITY : tagLifetimeMs),
  });
  const configurations = boundedCache<Fields>({ ...forTags, lifetimeMs: () => Number.POSITIVE_INFINITY });

  function callFor(place: ImagePlace, access: RegistryAccess, timeoutMs = callTimeoutMs): Call {
    return { place, access, signal: AbortSignal.timeout(timeoutMs), what: placeText(place) };
  }

  function credentialOf({ place, access }: Call) {
    return credentialFor(access.pullSecret, `${place.host}/${place.path}`);
  }

  /** The error behind a refusal, which names whoever has the login that the pull secret does not have. */
  function refusal(call: Call, status: number, what = call.what): RegistryError {
    const { access, place } = call;
    const isRefused = [401, 403].includes(status) && !credentialOf(call);
    const program = isRefused ? programFor(access.pullSecret, place.host) : undefined;
    return program
      ? new RegistryError(
          "Unauthorized",
          `${what}: the registry wants a login (${status}), which the pull secret leaves to ${program}, and hubrelay does not run that`,
        )
      : answerError(status, what);
  }

  /** What two answers must have in common to be the same: never another's credential. */
  function keyOf(call: Call, ...more: readonly string[]): string {
    const { place, access } = call;
    const credential = credentialOf(call);
    return fingerprint(
      place.host,
      place.path,
      credential && JSON.stringify(credential),
      authoritiesFor(place.host, access),
      ...more,
    );
  }

  async function ask(
    call: Call,
    method: "GET" | "HEAD",
    suffix: string,
    accept?: string,
  ): Promise<RegistryAnswer> {
    const { place, access, signal, what } = call;
    const request = (scheme: "https" | "http") =>
      askGuarded({
        what,
        method,
        url: new URL(`${scheme}://${apiHost(place.host)}/v2/${place.path}/${suffix}`),
        access,
        signal,
        repository: place.path,
        credential: credentialOf(call),
        ...(accept ? { accept } : {}),
      });
    try {
      return await request("https");
    } catch (error) {
      const trouble = networkError(error, what);
      const maySpeakPlain = isInsecure(place.host, access.insecureHosts) && !signal.aborted;
      if (maySpeakPlain && ["Untrusted", "Unavailable"].includes(trouble.code)) return request("http");
      throw trouble;
    }
  }

  /** The body of a success, undefined for what is not there. */
  async function fetchBody(
    call: Call,
    suffix: string,
    { most, accept }: Readonly<{ most: number; accept?: string }>,
  ): Promise<Readonly<{ bytes: Buffer; answer: RegistryAnswer }> | undefined> {
    const answer = await ask(call, "GET", suffix, accept);
    if (answer.statusCode !== 200) {
      await answer.body.dump();
      if (answer.statusCode === 404) return undefined;
      throw refusal(call, answer.statusCode);
    }
    return { bytes: await readBody(answer, most, call.what), answer };
  }

  async function fetchManifest(call: Call, version: string): Promise<StoredManifest | undefined> {
    const body = await fetchBody(call, `manifests/${version}`, {
      most: longestManifest,
      accept: manifestTypes,
    });
    if (!body) return undefined;
    const { bytes } = body;
    if (version.includes(":")) checkDigest(bytes, version, call.what);
    const digest = version.includes(":") ? version : digestOf(bytes);
    return { digest, content: jsonOf(bytes, call.what), size: bytes.length };
  }

  function manifest(call: Call, version = call.place.version): Promise<StoredManifest | undefined> {
    const cache = version.includes(":") ? stored : tagged;
    return cache.get(keyOf(call, version), () => fetchManifest(call, version));
  }

  async function fetchDigest(call: Call): Promise<string | undefined> {
    const { version } = call.place;
    const answer = await ask(call, "HEAD", `manifests/${version}`, manifestTypes);
    await answer.body.dump();
    if (answer.statusCode === 404) return undefined;
    if (answer.statusCode !== 200) throw refusal(call, answer.statusCode);
    const told = answer.headers["docker-content-digest"];
    if (version.includes(":")) return version;
    return typeof told === "string" ? told : (await manifest(call))?.digest;
  }

  async function configuration(call: Call, { digest }: ImageLayer): Promise<Fields> {
    return configurations.get(keyOf(call, digest), async () => {
      const body = await fetchBody(call, `blobs/${digest}`, { most: longestConfig });
      if (!body) throw new RegistryError("InvalidAnswer", `${call.what}: the image has no configuration`);
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
      throw new RegistryError("InvalidAnswer", `${call.what}: a list of manifests names another list`);
    const { config, layers } = read.image;
    const content = await configuration(call, config);
    const { Labels: labels } = isRecord(content.config) ? content.config : {};
    return {
      digest: own.digest,
      listDigest: named.digest,
      architecture: String(content.architecture ?? chosen?.architecture ?? ""),
      os: String(content.os ?? chosen?.os ?? ""),
      labels: Object.fromEntries(
        Object.entries(isRecord(labels) ? labels : {}).flatMap(([name, value]) =>
          typeof value === "string" ? [[name, value] as const] : [],
        ),
      ),
      layers,
      size: layers.reduce((sum, { size }) => sum + size, own.size + config.size),
    };
  }

  async function filesOf(
    call: Call,
    paths: readonly string[],
    { layers }: RegistryImage,
  ): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const wanted = new Set(paths);
    for (const layer of layers.toReversed()) {
      if (wanted.size === 0) break;
      const what = `${call.what}: layer ${layer.digest.slice(0, 19)}`;
      const answer = await ask(call, "GET", `blobs/${layer.digest}`);
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        throw refusal(call, answer.statusCode, what);
      }
      const files = await readLayerFiles(answer, layer, wanted, what);
      for (const [path, content] of files.found) found.set(path, content);
      for (const path of [...files.found.keys(), ...files.removed]) wanted.delete(path);
    }
    return found;
  }

  return {
    async digest(image, access = {}) {
      const call = callFor(placeOf(image), access);
      return digests.get(keyOf(call, call.place.version), () => fetchDigest(call));
    },

    async tags(repository, access = {}) {
      const place = placeOf(repository);
      const call = { ...callFor(place, access), what: `the tags of ${place.host}/${place.path}` };
      const tags: string[] = [];
      let suffix = `tags/list?n=${tagsOnPage}`;
      for (let page = 0; page < mostTagPages; page++) {
        const body = await fetchBody(call, suffix, { most: longestTagPage });
        if (!body) return undefined;
        const { tags: listed } = jsonOf(body.bytes, call.what);
        if (Array.isArray(listed)) tags.push(...listed.filter((tag) => typeof tag === "string"));
        const next = nextPage(body.answer, call.place);
        if (next === undefined) return tags;
        suffix = next;
      }
      throw new RegistryError("InvalidAnswer", `${call.what}: the list of tags has no end`);
    },

    image: async (image, access = {}, choice = {}) => imageOf(callFor(placeOf(image), access), choice),

    async files(image, paths, access = {}, choice = {}) {
      const call = callFor(placeOf(image), access, callTimeoutMs * layerPatience);
      const found = await imageOf(call, choice);
      return found ? filesOf(call, paths, found) : new Map();
    },

    close: exchange.close,
  };
}

/** The rest of a list, as its Link header names it; only of the same repository. */
function nextPage({ headers }: RegistryAnswer, place: ImagePlace): string | undefined {
  const { link } = headers;
  const [, target] =
    /<([^<>]{1,4096})>[^,]{0,200}rel="?next"?/.exec(typeof link === "string" ? link : "") ?? [];
  const base = `https://${apiHost(place.host)}`;
  if (!target || !URL.canParse(target, base)) return undefined;
  const { pathname, search } = new URL(target, base);
  return pathname === `/v2/${place.path}/tags/list` ? `tags/list${search}` : undefined;
}
