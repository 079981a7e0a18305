import {
  formatImageReference,
  type ImageReference,
  tryParseImageReference,
} from "../../images/image-reference.ts";
import { atMirror, enclosingScopes } from "../../images/image-scopes.ts";
import type { Release } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { lookupFormOf, takesWiderSourcesSince } from "../facts/lookup-forms.ts";
import type { ManagementMirrors, PlacedMirror, SourceMirrors } from "./management-mirrors.ts";

/** One location in which an image is looked for. */
export type ImageCandidate = Readonly<{
  /** The reference to look up; null if source and mirror do not form one. */
  reference: string | null;
  /** The source of this mirror; for the image's own location the source that decides about it, if any. */
  source: string | null;
  /** Null for the image's own location. */
  mirror: string | null;
  /** Whether it is the first that the rules allow. The image may still be missing there. */
  taken: boolean;
  /** Why it is not taken; null if it is. */
  reason: string | null;
}>;

/** A location, and why it cannot be taken in any position. */
export type Location = Omit<ImageCandidate, "taken" | "reason"> & Readonly<{ obstacle: string | null }>;

/** References that were looked up without success, and why. */
export type Unavailable = ReadonlyMap<string, string>;

/** Takes the first location that has no obstacle and may have the image; `later` returns why later ones are not. */
export function takeFirst(
  locations: readonly Location[],
  unavailable: Unavailable,
  later: (location: Location, taken: Location) => string,
): readonly ImageCandidate[] {
  const obstacleOf = ({ obstacle, reference }: Location) =>
    obstacle ?? unavailable.get(reference ?? "") ?? null;
  const taken = locations.find((location) => obstacleOf(location) === null);
  return locations.map((location) => {
    const { obstacle: _, ...candidate } = location;
    const obstacle = obstacleOf(location);
    if (location === taken) return { ...candidate, taken: true, reason: null };
    return { ...candidate, taken: false, reason: obstacle ?? (taken ? later(location, taken) : null) };
  });
}

type Sources = ManagementMirrors["sources"];

/** The sources that match a repository, the narrowest first. */
function sourcesOf(repository: string, sources: Sources): readonly SourceMirrors[] {
  return enclosingScopes(repository).flatMap((scope) => sources.get(scope) ?? []);
}

/** The narrowest source decides whether a repository may be contacted. */
function forbiddenBy(repository: string, sources: Sources): string | null {
  const [narrowest] = sourcesOf(repository, sources);
  if (!narrowest?.neverContact) return null;
  return sentence`the source ${narrowest.source} must never be contacted (mirrorSourcePolicy)`;
}

function limitOf({ pulls }: PlacedMirror, byDigest: boolean): string | null {
  if (pulls === "digest" && !byDigest)
    return "this mirror serves images by digest only, and this one has a tag";
  if (pulls === "tag" && byDigest) return "this mirror serves images by tag only, and this one has a digest";
  return null;
}

/**
 * Returns where an image is looked for through the mirrors of the management cluster: the mirrors of the most
 * specific source, in their order, those of wider sources, and finally the image's own location. Mirrors serve
 * images by digest or by tag as their objects say, and a source that must never be contacted is not tried.
 * Locations in `unavailable` are skipped. For a control plane of an older `release`, only mirrors of the repository
 * itself are taken.
 */
export function findCandidates(
  reference: ImageReference,
  sources: Sources,
  unavailable: Unavailable = new Map(),
  release?: Release,
): readonly ImageCandidate[] {
  const text = formatImageReference(reference);
  const isOnlyExact = lookupFormOf(release).sources === "repository";
  const ignored = (source: string) =>
    isOnlyExact && source !== reference.repository
      ? sentence`a control plane before ${takesWiderSourcesSince} takes only mirrors of the repository itself`
      : null;
  const matching = sourcesOf(reference.repository, sources);
  const locations = matching.flatMap(({ source, mirrors }) =>
    mirrors.map((placed): Location => {
      const rewritten = atMirror(text, source, placed.mirror);
      const parsed = tryParseImageReference(rewritten);
      const obstacle = parsed
        ? (ignored(source) ??
          limitOf(placed, reference.digest !== undefined) ??
          forbiddenBy(parsed.repository, sources))
        : sentence`${rewritten} is not an image reference`;
      return { reference: parsed ? rewritten : null, source, mirror: placed.mirror, obstacle };
    }),
  );
  const own: Location = {
    reference: text,
    source: matching[0]?.source ?? null,
    mirror: null,
    obstacle: forbiddenBy(reference.repository, sources),
  };
  return takeFirst(
    [...locations, own],
    unavailable,
    () => "it is tried only if the candidates before it do not have the image",
  );
}
