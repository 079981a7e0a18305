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
  /** The reference to look up; null if the mirror gives no valid reference. */
  reference: string | null;
  /** The source whose mirror this is; null for the image's own location. */
  source: string | null;
  mirror: string | null;
  /** True for the location from which HyperShift is expected to read the image. */
  taken: boolean;
  /** Why HyperShift does not use the location; null if it does. */
  reason: string | null;
}>;

/** `obstacle` is the reason why HyperShift can never use the location; null if it can. */
type Location = Omit<ImageCandidate, "taken" | "reason"> & Readonly<{ obstacle: string | null }>;

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

/** HyperShift tries sources in random order. Here they have the order of `overrides`. */
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

/** Returns where HyperShift looks for an image that is no release image. Older releases use only the first match. */
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

/** Returns where HyperShift looks for a release image: support/releaseinfo/registry_image_content_policies.go. */
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

/** Returns the references that HyperShift queries for a release image, in the order in which it tries them. */
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

/** Where hosted clusters get an image. */
export type HostedImageExplanation = Readonly<{
  image: string;
  candidates: readonly ImageCandidate[];
  /** The reference that HyperShift's operator uses, if not the control plane's; null if the operator uses none. */
  operatorReference?: string | null;
}>;

export type ExplainHostedOptions = Readonly<{
  /** The control plane's release, whose rules apply. By default the rules of HyperShift's main branch apply. */
  release?: Release | undefined;
  /** True for a hosted cluster's release image. HyperShift looks up release images by other rules. */
  isRelease?: boolean | undefined;
  /** The reasons of failed lookups, by reference. HyperShift does not use such references. */
  unavailable?: Unavailable | undefined;
}>;

const takenReference = (candidates: readonly ImageCandidate[]): string | null =>
  candidates.find(({ taken }) => taken)?.reference ?? null;

/** Returns where HyperShift looks for an image, and why each location is used or not; a `problem` for invalid names. */
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
