import {
  formatImageReference,
  type ImageReference,
  tryParseImageReference,
} from "../../images/image-reference.ts";
import { hostOf, isWildcard } from "../../images/scope.ts";
import { loadEntries } from "../registries-conf/load-failure.ts";
import { type RegistryEntry, type RegistryMirror, scopeOf } from "../registries-conf/registries-conf.ts";

// How the container runtime uses registries.conf for a pull. Behaviour: sysregistriesv2 of containers/image.

function endsName(reference: string, index: number): boolean {
  return index === reference.length || /[:/@]/.test(reference.charAt(index));
}

/**
 * Returns how many characters of the reference the scope matches, or -1. Unlike in `isNested`, a host without a port
 * matches any port.
 */
export function matchLength(reference: string, scope: string): number {
  if (!isWildcard(scope)) {
    return reference.startsWith(scope) && endsName(reference, scope.length) ? scope.length : -1;
  }
  const domain = scope.slice(1);
  const found = reference.indexOf(domain);
  if (found < 0 || reference.slice(0, found).includes("/")) return -1;
  const end = found + domain.length;
  return endsName(reference, end) ? end : -1;
}

/** Returns the candidate with the longest scope that matches the reference; of equally long ones, the first by name. */
export function findByScope<Scoped>(
  candidates: Iterable<Scoped>,
  scopeIn: (candidate: Scoped) => string,
  reference: string,
): Scoped | undefined {
  let best: { candidate: Scoped; scope: string } | undefined;
  for (const candidate of candidates) {
    const scope = scopeIn(candidate);
    if (matchLength(reference, scope) < 0) continue;
    const isBetter =
      !best || scope.length > best.scope.length || (scope.length === best.scope.length && scope < best.scope);
    if (isBetter) best = { candidate, scope };
  }
  return best?.candidate;
}

/** Returns the entry that decides how a reference is pulled. */
export function findEntry(entries: readonly RegistryEntry[], reference: string): RegistryEntry | undefined {
  return findByScope(entries, scopeOf, reference);
}

type PullSource = Readonly<{
  /** The mirror, or undefined for the entry's own location. */
  mirror: RegistryMirror | undefined;
  /** The image's reference at this location as text, which may be invalid. */
  location: string;
  /** The parsed `location`; undefined if it is not a valid image reference. The whole pull then fails. */
  reference: ImageReference | undefined;
}>;

function servesPull(mirror: RegistryMirror, entry: RegistryEntry, byDigest: boolean): boolean {
  if (entry.mirrorByDigestOnly) return byDigest;
  if (mirror.pullFromMirror === "digest-only") return byDigest;
  return mirror.pullFromMirror !== "tag-only" || !byDigest;
}

function remainderOf(reference: string, scope: string): string {
  return reference.slice(Math.max(matchLength(reference, scope), 0));
}

/** Returns an image's reference at `location`, a mirror of `scope`; undefined if the result is not a reference. */
export function rewriteReference(
  reference: ImageReference,
  scope: string,
  location: string,
): ImageReference | undefined {
  return tryParseImageReference(location + remainderOf(formatImageReference(reference), scope));
}

/** Returns an entry's locations for a reference: mirrors for this kind of pull, then the entry's own location. */
export function pullSources(entry: RegistryEntry, reference: ImageReference): readonly PullSource[] {
  const text = formatImageReference(reference);
  const rest = remainderOf(text, scopeOf(entry));
  const rewrite = (location: string, mirror: RegistryMirror | undefined): PullSource => {
    const rewritten = location === "" ? text : location + rest;
    return { mirror, location: rewritten, reference: tryParseImageReference(rewritten) };
  };
  const byDigest = reference.digest !== undefined;
  return [
    ...entry.mirrors
      .filter((mirror) => servesPull(mirror, entry, byDigest))
      .map((mirror) => rewrite(mirror.location, mirror)),
    rewrite(entry.location, undefined),
  ];
}

function possibleScopes(reference: string): readonly string[] {
  const ends = [...reference.matchAll(/[:/@]/g)].map(({ index }) => index);
  const host = hostOf(reference);
  return [
    reference,
    ...ends.map((end) => reference.slice(0, end)),
    ...[...host.matchAll(/\.[^:@]*/g)].flatMap(([domains]) => wildcardsOf(domains)),
  ];
}

/** Returns `*.a.io` and `*.io` for `.a.io`. */
function wildcardsOf(domains: string): readonly string[] {
  return [...domains.matchAll(/\./g)].map(({ index }) => `*${domains.slice(index)}`);
}

/** Finds the same entry as `findEntry`, but faster if many references are looked up. */
export class EntryLookup {
  readonly #byScope = new Map<string, RegistryEntry>();

  constructor(entries: readonly RegistryEntry[]) {
    for (const entry of entries.toReversed()) this.set(entry);
  }

  /** Adds an entry, which replaces an earlier entry of the same scope. */
  set(entry: RegistryEntry): void {
    this.#byScope.set(scopeOf(entry), entry);
  }

  find(reference: string): RegistryEntry | undefined {
    const candidates = possibleScopes(reference).flatMap((scope) => this.#byScope.get(scope) ?? []);
    return findByScope(candidates, scopeOf, reference);
  }
}

/** Why the container runtime does not try a location. */
export type SkipReason =
  /** The mirror serves only pulls by digest, and the pull is by tag. */
  | "digest-only"
  /** The mirror serves only pulls by tag, and the pull is by digest. */
  | "tag-only"
  /** The location is in a blocked scope (`blockedBy`). */
  | "blocked"
  /** The location is not a valid reference, for example because a repository has a bare host as its mirror. */
  | "not-a-reference"
  /** The caller assumes that the registry is down: see `whileDown`. */
  | "down"
  /** No location is tried, because one is `not-a-reference` or CRI-O refuses the short name. */
  | "pull-fails";

/** A location for a reference, and whether the container runtime tries it. */
export type Candidate = Readonly<{
  /** The image's reference at this location. */
  reference: string;
  /** The location in registries.conf; the repository itself when no entry applies. */
  location: string;
  /** True for the entry's own location, which comes last. */
  isSource: boolean;
  /** True if the location is tried when no earlier location has the image. */
  taken: boolean;
  reason: SkipReason | null;
  /** The scope of the blocked entry that contains the location; null if no blocked entry contains it. */
  blockedBy: string | null;
  /** True if TLS is not required at the location. */
  insecure: boolean;
}>;

type Resolution = Readonly<{
  /** The entry that decides; null if no entry matches. */
  entry: RegistryEntry | null;
  candidates: readonly Candidate[];
}>;

function limitOf(mirror: RegistryMirror, entry: RegistryEntry): "digest-only" | "tag-only" {
  return !entry.mirrorByDigestOnly && mirror.pullFromMirror === "tag-only" ? "tag-only" : "digest-only";
}

function describeSource(
  source: PullSource,
  entry: RegistryEntry,
  entries: readonly RegistryEntry[],
  fails: boolean,
): Candidate {
  const { mirror, reference } = source;
  const place = reference && findEntry(entries, reference.repository);
  const blockedBy = place?.blocked ? scopeOf(place) : null;
  const reason = !reference
    ? "not-a-reference"
    : fails
      ? "pull-fails"
      : blockedBy !== null
        ? "blocked"
        : null;
  return {
    reference: source.location,
    location: (mirror ?? entry).location || scopeOf(entry),
    isSource: mirror === undefined,
    taken: reason === null,
    reason,
    blockedBy,
    insecure: (mirror ?? entry).insecure,
  };
}

/**
 * Returns all locations for a reference in the order of trying, also skipped ones. `written` has no `loadFailure`, and
 * the reference has a tag or a digest. The rewritten name decides about blocking: mirrors of a blocked source are used,
 * mirrors in a blocked scope are not. TLS depends on the mirror's own flag, not on the entry for the mirror's host.
 * Behaviour: `PullSourcesFromReference` of containers/image, the library of CRI-O and podman.
 */
export function resolve(written: readonly RegistryEntry[], reference: ImageReference): Resolution {
  const entries = loadEntries(written);
  const text = formatImageReference(reference);
  const entry = findEntry(entries, reference.repository);
  if (!entry) {
    const itself = { reference: text, location: reference.repository, isSource: true, insecure: false };
    return { entry: null, candidates: [{ ...itself, taken: true, reason: null, blockedBy: null }] };
  }
  const sources = pullSources(entry, reference);
  const fails = sources.some((source) => !source.reference);
  const described = new Map(
    sources.map((source) => [source.mirror, describeSource(source, entry, entries, fails)]),
  );
  const skipped = (mirror: RegistryMirror): Candidate => {
    const rewritten = rewriteReference(reference, scopeOf(entry), mirror.location);
    return {
      reference: rewritten ? formatImageReference(rewritten) : mirror.location,
      location: mirror.location,
      isSource: false,
      taken: false,
      reason: limitOf(mirror, entry),
      blockedBy: null,
      insecure: mirror.insecure,
    };
  };
  const own = described.get(undefined);
  return {
    entry,
    candidates: [
      ...entry.mirrors.map((mirror) => described.get(mirror) ?? skipped(mirror)),
      ...(own ? [own] : []),
    ],
  };
}
