import { parseDockerReference, referenceText } from "../../images/docker-reference.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Release } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { hasOldLookup, takesWiderSourcesSince } from "../facts/hypershift.ts";
import type { RegistryOverrides } from "./environment-text.ts";
import { overridesLikeHypershift } from "./hub-overrides.ts";
import { applyPair } from "./hypershift-rules.ts";

/** A location in which HyperShift may look for an image. */
export type ImageCandidate = Readonly<{
  /** The reference to look up; null if source and mirror do not give a valid one. */
  reference: string | null;
  /** The mirror's source; null for the image's own location. */
  source: string | null;
  /** The mirror as written; null for the image's own location. */
  mirror: string | null;
  /** True for the first location that the rules allow; it may still lack the image. */
  taken: boolean;
  /** Why the location is not taken; null if it is taken. */
  reason: string | null;
}>;

/** A location. `obstacle` is the reason why HyperShift can never take it; null if HyperShift can. */
type Location = Omit<ImageCandidate, "taken" | "reason"> & Readonly<{ obstacle: string | null }>;

/** The reasons of failed lookups, by reference. */
type Unavailable = ReadonlyMap<string, string>;

function laterThan(location: Location, taken: Location): string {
  if (location.mirror === null || location.source === taken.source)
    return "HyperShift tries it only if the candidates before it cannot be read";
  return sentence`HyperShift tries sources in random order: this one may come before ${taken.source}`;
}

function takeFirst(locations: readonly Location[], unavailable: Unavailable): readonly ImageCandidate[] {
  const obstacleOf = ({ obstacle, reference }: Location) =>
    obstacle ?? unavailable.get(reference ?? "") ?? null;
  const taken = locations.find((location) => obstacleOf(location) === null);
  return locations.map((location) => {
    const { obstacle: _, ...candidate } = location;
    if (location === taken) return { ...candidate, taken: true, reason: null };
    return {
      ...candidate,
      taken: false,
      reason: obstacleOf(location) ?? (taken ? laterThan(location, taken) : null),
    };
  });
}

function locationsOf<Found>(
  overrides: RegistryOverrides,
  locate: (source: string, mirror: string) => Found | undefined,
): readonly Found[] {
  return [...overrides].flatMap(([source, mirrors]) =>
    mirrors.flatMap((mirror) => locate(source, mirror) ?? []),
  );
}

const noOther = sentence`HyperShift before ${takesWiderSourcesSince} tries no other place after a mirror`;
const notAgain = sentence`HyperShift before ${takesWiderSourcesSince} does not go back to the name as written after a mirror`;

const ownLocation = (reference: string, obstacle: string | null = null): Location => ({
  reference,
  source: null,
  mirror: null,
  obstacle,
});

type Locations = Readonly<{ locations: readonly Location[] } | { problem: string }>;

/**
 * Returns the locations in which HyperShift looks for the metadata of an image: each mirror whose source matches by one
 * of three rules, then the image's own location. HyperShift tries sources in random order; here they are sorted by
 * bytes. If HyperShift skips a mirror, `obstacle` is HyperShift's message. Older releases use the first matching
 * mirror, even if it lacks the image. Returns the `problem` for an invalid image name. `release` decides the rules, by
 * default those of HyperShift's main branch.
 */
function metadataLocations(image: string, overrides: RegistryOverrides, release?: Release): Locations {
  const parsed = parseDockerReference(image);
  if ("error" in parsed)
    return { problem: sentence`failed to parse image reference ${goQuote(image)}: ${parsed.error}` };
  const { reference } = parsed;
  const isOld = hasOldLookup(release);
  let isOver = false;
  const locations = locationsOf(overrides, (source, mirror): Location | undefined => {
    if (source === "" || mirror === "") return undefined;
    const verdict = applyPair(reference, source, mirror, isOld);
    if (verdict.state === "no match") return undefined;
    if (verdict.state === "error") return { reference: null, source, mirror, obstacle: verdict.message };
    const found = verdict.state === "match" ? verdict.reference : null;
    if (isOver) return { reference: found, source, mirror, obstacle: noOther };
    isOver = isOld;
    return { reference: found, source, mirror, obstacle: verdict.state === "lost" ? verdict.message : null };
  });
  return { locations: [...locations, ownLocation(referenceText(reference), isOver ? noOther : null)] };
}

/**
 * Returns the locations in which HyperShift looks for a release image. If a source's text occurs anywhere in the
 * reference, each of its mirrors replaces the first occurrence; the reference as written comes last. Older releases
 * apply each mirror to the result of the previous one, and then skip the reference as written. HyperShift takes sources
 * in random order; here they are sorted by bytes. Behaviour: support/releaseinfo/registry_image_content_policies.go.
 */
function releaseLocations(
  image: string,
  overrides: RegistryOverrides,
  release: Release | undefined,
): readonly Location[] {
  const isOld = hasOldLookup(release);
  let text = image;
  const locations = locationsOf(overrides, (source, mirror): Location | undefined => {
    const from = isOld ? text : image;
    const at = from.indexOf(source);
    if (at < 0)
      return image.includes(source) ? { reference: null, source, mirror, obstacle: notAgain } : undefined;
    text = from.slice(0, at) + mirror + from.slice(at + source.length);
    return { reference: text, source, mirror, obstacle: null };
  });
  const isLost = isOld && text !== image;
  return [...locations, ownLocation(image, isLost ? notAgain : null)];
}

const openReferences = (locations: readonly Location[]): readonly string[] =>
  locations.flatMap(({ reference, obstacle }) => (obstacle === null && reference ? [reference] : []));

/** Returns the references that HyperShift queries for a release image, in the order of trying. */
export const releaseReferences = (
  image: string,
  overrides: RegistryOverrides,
  release?: Release,
): readonly string[] => openReferences(releaseLocations(image, overrides, release));

/** Returns the references that HyperShift queries for an image's metadata, or the `problem` that prevents any query. */
export function metadataReferences(
  image: string,
  overrides: RegistryOverrides,
  release?: Release,
): Readonly<{ references: readonly string[] } | { problem: string }> {
  const found = metadataLocations(image, overrides, release);
  if ("problem" in found) return found;
  const references = openReferences(found.locations);
  const problem = references.length === 0 ? found.locations[0]?.obstacle : undefined;
  return problem ? { problem } : { references };
}

/** The locations of an image for hosted clusters. */
export type HostedImageExplanation = Readonly<{
  image: string;
  /** The locations in the order in which HyperShift tries them. */
  candidates: readonly ImageCandidate[];
  /** The operator's reference by HyperShift's newer rules, or null; absent if the control plane takes the same one. */
  operatorReference?: string | null;
}>;

export type ExplainHostedOptions = Readonly<{
  /** The control plane's release, whose rules apply; by default the rules of HyperShift's main branch. */
  release?: Release | undefined;
  /** True for a hosted cluster's release image, which has lookup rules of its own. */
  isRelease?: boolean | undefined;
  /** The reasons of failed lookups, by reference. A location whose lookup failed is not taken. */
  unavailable?: Unavailable | undefined;
}>;

const takenReference = (candidates: readonly ImageCandidate[]): string | null =>
  candidates.find(({ taken }) => taken)?.reference ?? null;

/**
 * Explains where hosted clusters get an image, given the mirror objects of the management cluster: every candidate in
 * order, the one that is taken, and why the others are not. Returns the `problem` if the image name is invalid; never
 * throws.
 */
export function explainHostedImage(
  image: string,
  objects: readonly KubernetesObject[],
  options: ExplainHostedOptions = {},
): HostedImageExplanation | Readonly<{ problem: string }> {
  const { release, isRelease, unavailable = new Map() } = options;
  const { overrides } = overridesLikeHypershift(objects);
  const found = isRelease
    ? { locations: releaseLocations(image, overrides, release) }
    : metadataLocations(image, overrides, release);
  if ("problem" in found) return found;
  const candidates = takeFirst(found.locations, unavailable);
  const hasNewestRules = isRelease || !hasOldLookup(release);
  const newest = hasNewestRules ? found : metadataLocations(image, overrides);
  const operatorReference =
    "problem" in newest ? null : takenReference(takeFirst(newest.locations, unavailable));
  return {
    image,
    candidates,
    ...(operatorReference === takenReference(candidates) ? {} : { operatorReference }),
  };
}
