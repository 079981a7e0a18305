import { parseDockerReference, referenceText } from "../../images/docker-reference.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { Release } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { lookupFormOf, takesWiderSourcesSince } from "../facts/lookup-forms.ts";
import { type ImageCandidate, type Location, takeFirst, type Unavailable } from "./candidates.ts";
import type { RegistryOverrides } from "./environment-text.ts";
import { applyPair } from "./hypershift-rules.ts";

function laterThan(location: Location, taken: Location): string {
  if (location.mirror === null || location.source === taken.source)
    return "HyperShift tries it only if the candidates before it cannot be read";
  return sentence`HyperShift tries sources in random order: this one may come before ${taken.source}`;
}

const notAgain = sentence`HyperShift before ${takesWiderSourcesSince} does not go back to the name as written after a mirror`;

/** Calls `locate` for each pair of source and mirror. */
function locationsOf(
  overrides: RegistryOverrides,
  locate: (source: string, mirror: string) => Location | undefined,
): readonly Location[] {
  return [...overrides].flatMap(([source, mirrors]) =>
    mirrors.flatMap((mirror) => locate(source, mirror) ?? []),
  );
}

/** Older releases take the first location that matches, whether it has the image or not. */
function onlyFirst(locations: readonly Location[]): readonly Location[] {
  const first = locations.find(({ obstacle }) => obstacle === null);
  const obstacle = sentence`HyperShift before ${takesWiderSourcesSince} tries no other place after a mirror`;
  return locations.map((location) =>
    location === first || location.obstacle !== null ? location : { ...location, obstacle },
  );
}

/**
 * Returns where HyperShift looks for the metadata of an image: by its three rules, mirrors in their order, and
 * finally the image's own location. Sources, which HyperShift takes in random order, are sorted by bytes. A pair
 * that HyperShift skips with a message has it as its reason. Returns the `problem` for an unparsable image. The rules
 * are those of `release`; without one, of HyperShift's main.
 */
export function findCandidatesLikeHypershift(
  image: string,
  overrides: RegistryOverrides,
  unavailable: Unavailable = new Map(),
  release?: Release,
): Readonly<{ candidates: readonly ImageCandidate[] } | { problem: string }> {
  const parsed = parseDockerReference(image);
  if ("error" in parsed)
    return { problem: sentence`failed to parse image reference ${goQuote(image)}: ${parsed.error}` };
  const { reference } = parsed;
  const form = lookupFormOf(release);
  const locations = locationsOf(overrides, (source, mirror) => {
    if (source === "" || mirror === "") return undefined;
    const verdict = applyPair(reference, source, mirror, form);
    switch (verdict.state) {
      case "match":
        return { reference: verdict.reference, source, mirror, obstacle: null };
      case "error":
        return { reference: null, source, mirror, obstacle: verdict.message };
      case "no match":
        return undefined;
    }
  });
  const own: Location = {
    reference: referenceText(reference),
    source: null,
    mirror: null,
    obstacle: null,
  };
  const all = [...locations, own];
  const tried = form.sources === "repository" ? onlyFirst(all) : all;
  return { candidates: takeFirst(tried, unavailable, laterThan) };
}

/**
 * Returns where HyperShift looks for a release image: in each mirror of every source that its text contains
 * anywhere, with the first occurrence replaced, then as written. Older releases replace in the result of the mirror
 * before, and do not go back. HyperShift takes sources in random order; here they are sorted by bytes. Behaviour:
 * support/releaseinfo/registry_image_content_policies.go.
 */
export function findReleaseCandidatesLikeHypershift(
  image: string,
  overrides: RegistryOverrides,
  unavailable: Unavailable = new Map(),
  release?: Release,
): readonly ImageCandidate[] {
  const { restartsRelease } = lookupFormOf(release);
  let text = image;
  const locations = locationsOf(overrides, (source, mirror) => {
    const from = restartsRelease ? image : text;
    const at = from.indexOf(source);
    if (at < 0)
      return image.includes(source) ? { reference: null, source, mirror, obstacle: notAgain } : undefined;
    text = from.slice(0, at) + mirror + from.slice(at + source.length);
    return { reference: text, source, mirror, obstacle: null };
  });
  const isLost = !restartsRelease && text !== image;
  const own: Location = {
    reference: image,
    source: null,
    mirror: null,
    obstacle: isLost ? notAgain : null,
  };
  return takeFirst([...locations, own], unavailable, laterThan);
}
