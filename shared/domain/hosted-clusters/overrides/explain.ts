import { parseDockerReference, referenceText } from "../../images/docker-reference.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Release } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { hasOldLookup, takesWiderSourcesSince } from "../facts/hypershift.ts";
import type { RegistryOverrides } from "./environment-text.ts";
import { overridesLikeHypershift } from "./hypershift-overrides.ts";
import { applyPair } from "./hypershift-rules.ts";

/** One location in which an image is looked for. */
export type ImageCandidate = Readonly<{
  /** The reference to look up; null if source and mirror do not form one. */
  reference: string | null;
  /** The source of this mirror; null for the image's own location. */
  source: string | null;
  /** Null for the image's own location. */
  mirror: string | null;
  /** Whether it is the first that the rules allow. The image may still be missing there. */
  taken: boolean;
  /** Why it is not taken; null if it is. */
  reason: string | null;
}>;

/** A location, and why it cannot be taken in any position. */
type Location = Omit<ImageCandidate, "taken" | "reason"> & Readonly<{ obstacle: string | null }>;

/** References that were looked up without success, and why. */
type Unavailable = ReadonlyMap<string, string>;

function laterThan(location: Location, taken: Location): string {
  if (location.mirror === null || location.source === taken.source)
    return "HyperShift tries it only if the candidates before it cannot be read";
  return sentence`HyperShift tries sources in random order: this one may come before ${taken.source}`;
}

/** Takes the first location that has no obstacle and may have the image. */
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

/** Calls `locate` for each pair of source and mirror. */
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
 * Returns where HyperShift looks for the metadata of an image: by its three rules, mirrors in their order, and
 * finally the image's own location. Sources, which HyperShift takes in random order, are sorted by bytes. A pair
 * that HyperShift skips with a message has it as its obstacle. Older releases take the first mirror that matches, whether
 * an image can be read there or not. Returns the `problem` for an unparsable image. The rules are those of `release`;
 * without one, of HyperShift's main.
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
 * Returns where HyperShift looks for a release image: in each mirror of every source that its text contains
 * anywhere, with the first occurrence replaced, then as written.
 * Older releases replace in the result of the mirror before, and do not go back. HyperShift takes sources in random
 * order; here they are sorted by bytes. Behaviour: support/releaseinfo/registry_image_content_policies.go.
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

/** Returns the references by which HyperShift asks for a release image, in the order of trying. */
export const releaseReferences = (
  image: string,
  overrides: RegistryOverrides,
  release?: Release,
): readonly string[] => openReferences(releaseLocations(image, overrides, release));

/** Returns the references by which HyperShift asks for the metadata of an image, or why it asks for none. */
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

/** The locations in which an image is looked for on behalf of hosted clusters. */
export type HostedImageExplanation = Readonly<{
  /** As requested. */
  image: string;
  /** In the order of trying. */
  candidates: readonly ImageCandidate[];
  /** What HyperShift's operator, which is usually newer, takes instead; absent if it takes the same. */
  operatorReference?: string | null;
}>;

export type ExplainHostedOptions = Readonly<{
  /** The release of the control plane, whose rules decide; without it those of HyperShift's main. */
  release?: Release | undefined;
  /** Whether it is a hosted cluster's release image, which HyperShift looks up by rules of its own. */
  isRelease?: boolean | undefined;
  /** References that were looked up without success: the next one is taken. */
  unavailable?: Unavailable | undefined;
}>;

const takenReference = (candidates: readonly ImageCandidate[]): string | null =>
  candidates.find(({ taken }) => taken)?.reference ?? null;

/**
 * Explains where an image is looked for on behalf of hosted clusters, given the mirror objects of the management
 * cluster: every candidate in order, which one is taken, and why the others are not. Returns the `problem` if the
 * image name is invalid; never throws.
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
