import {
  formatImageReference,
  type ImageReference,
  tryParseImageReference,
} from "../../images/image-reference.ts";
import { hostOf } from "../../images/image-scopes.ts";
import { isWildcard } from "../../images/scope.ts";
import { type RegistryEntry, type RegistryMirror, scopeOf } from "../registries-conf/registries-conf.ts";

/*
 * How the container runtime uses registries.conf for a pull: the entry that it chooses and its locations, in order.
 * Behaviour: sysregistriesv2 of containers/image.
 */

function endsName(reference: string, index: number): boolean {
  return index === reference.length || /[:/@]/.test(reference.charAt(index));
}

/**
 * Returns how many characters of the reference the scope matches, or -1 when it does not match. Unlike nested
 * scopes, a host also matches with a port after it.
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

/**
 * Returns the item whose scope decides about a reference: the longest matching scope, of equally long ones the
 * first in order, of equal ones the first item.
 */
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

/** Returns the entry that decides about a reference. */
export function findEntry(entries: readonly RegistryEntry[], reference: string): RegistryEntry | undefined {
  return findByScope(entries, scopeOf, reference);
}

/** One location of a reference: the rewritten reference, or the invalid text without one. */
export type PullSource = Readonly<{
  /** The mirror, or undefined for the entry's own location. */
  mirror: RegistryMirror | undefined;
  /** The text after rewriting. */
  location: string;
  /** Undefined when the rewritten text is not an image reference: then the whole pull fails. */
  reference: ImageReference | undefined;
}>;

function servesPull(mirror: RegistryMirror, entry: RegistryEntry, byDigest: boolean): boolean {
  if (entry.mirrorByDigestOnly) return byDigest;
  if (mirror.pullFromMirror === "digest-only") return byDigest;
  return mirror.pullFromMirror !== "tag-only" || !byDigest;
}

/** The runtime appends the result to a mirror's location. */
function remainderOf(reference: string, scope: string): string {
  return reference.slice(Math.max(matchLength(reference, scope), 0));
}

/** Returns the reference at a mirror of a scope that matches it; undefined when the result is not a reference. */
export function rewriteReference(
  reference: ImageReference,
  scope: string,
  location: string,
): ImageReference | undefined {
  return tryParseImageReference(location + remainderOf(formatImageReference(reference), scope));
}

/** Returns the locations that the runtime tries for a matching reference: mirrors in order, then the entry's own. */
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

/** The prefixes that end before a `:`, `/` or `@`, and wildcards of the host. */
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

/** Finds the deciding entry like `findEntry`, for many references among the same entries. */
export class EntryLookup {
  readonly #byScope = new Map<string, RegistryEntry>();

  constructor(entries: readonly RegistryEntry[]) {
    for (const entry of entries.toReversed()) this.set(entry);
  }

  /** Replaces the entry of the same scope, if any. */
  set(entry: RegistryEntry): void {
    this.#byScope.set(scopeOf(entry), entry);
  }

  find(reference: string): RegistryEntry | undefined {
    const candidates = possibleScopes(reference).flatMap((scope) => this.#byScope.get(scope) ?? []);
    return findByScope(candidates, scopeOf, reference);
  }
}
