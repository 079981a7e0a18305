import { formatImageReference, type ImageReference } from "../../images/image-reference.ts";
import { loadEntries } from "../registries-conf/load-failure.ts";
import { type RegistryEntry, type RegistryMirror, scopeOf } from "../registries-conf/registries-conf.ts";
import { findEntry, type PullSource, pullSources, rewriteReference } from "./pull-sources.ts";

/** Why a location of the entry is not tried. */
export type SkipReason =
  /** The mirror serves pulls by digest, and this is one by tag. */
  | "digest-only"
  /** The mirror serves pulls by tag, and this is one by digest. */
  | "tag-only"
  /** The location is in a blocked scope (`blockedBy`). */
  | "blocked"
  /** The rewritten text is not a reference (a bare host as mirror of a repository). */
  | "not-a-reference"
  /** Another location is `not-a-reference`: the runtime gives up before it tries the first. */
  | "pull-fails";

/** One location of an entry for a reference. */
export type Candidate = Readonly<{
  /** The requested reference, after rewriting. */
  reference: string;
  /** The location in registries.conf; the repository itself when no entry applies. */
  location: string;
  /** True for the entry's own location, which comes last. */
  isSource: boolean;
  /** It is tried, unless a location before it already has the image. */
  taken: boolean;
  /** Why it is not tried, null when it is. */
  reason: SkipReason | null;
  /** The scope of the blocked entry that contains it. */
  blockedBy: string | null;
  /** TLS is not required there. */
  insecure: boolean;
}>;

/** The steps of a container runtime that pulls one reference. */
export type Resolution = Readonly<{
  /** The entry that decides, null when none matches. */
  entry: RegistryEntry | null;
  /** Every location of the entry in the order of trying, skipped ones included. */
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
 * Returns the locations that are tried for a reference, in order, and the skipped ones.
 *
 * `written` are all entries of a registries.conf that the runtime loads (`loadFailure`), `reference` has a tag or a
 * digest. The result is that of containers/image (`PullSourcesFromReference`), the library of CRI-O and podman:
 * blocking is looked up for the rewritten name, so a blocked source still has its mirrors and a mirror in a blocked
 * scope is not used; TLS depends on the mirror's own flag and not on the entry for its host.
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
