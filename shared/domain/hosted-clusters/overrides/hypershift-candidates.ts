import { goQuote } from "../../go-compat/go-quote.ts";
import { parseDockerReference, referenceText } from "../../images/docker-reference.ts";
import { applyPair } from "./hypershift-rules.ts";
import { type ImageCandidate, type Place, takeFirst, type Unavailable } from "./image-candidate.ts";
import type { RegistryOverrides } from "./overrides.ts";

function laterThan(place: Place, taken: Place): string {
  if (place.mirror === null || place.source === taken.source)
    return "HyperShift tries it only where those before it cannot be read";
  return `HyperShift tries sources in random order: this one may come before ${taken.source}`;
}

/** Calls `place` for each pair of source and mirror; empty ones are passed over. */
function placesOf(
  overrides: RegistryOverrides,
  place: (source: string, mirror: string) => Place | undefined,
): readonly Place[] {
  return [...overrides].flatMap(([source, mirrors]) =>
    mirrors.flatMap((mirror) => place(source, mirror) ?? []),
  );
}

/**
 * Where HyperShift looks for the metadata of an image: by its three rules, mirrors in their order, the image's own
 * place in the end. Sources, which it takes in random order, are in that of their bytes. A pair that it skips with a
 * message has that as its reason; answers the `problem` when the image is no reference to it.
 */
export function findCandidatesLikeHypershift(
  image: string,
  overrides: RegistryOverrides,
  unavailable: Unavailable = new Map(),
): Readonly<{ candidates: readonly ImageCandidate[] } | { problem: string }> {
  const parsed = parseDockerReference(image);
  if ("error" in parsed)
    return { problem: `failed to parse image reference ${goQuote(image)}: ${parsed.error}` };
  const { reference } = parsed;
  const places = placesOf(overrides, (source, mirror) => {
    if (source === "" || mirror === "") return undefined;
    const verdict = applyPair(reference, source, mirror);
    switch (verdict.state) {
      case "match":
        return { reference: verdict.reference, source, mirror, obstacle: null };
      case "error":
        return { reference: null, source, mirror, obstacle: verdict.message };
      case "no match":
        return undefined;
    }
  });
  const own: Place = { reference: referenceText(reference), source: null, mirror: null, obstacle: null };
  return { candidates: takeFirst([...places, own], unavailable, laterThan) };
}

/**
 * Where HyperShift looks for a release image: in each mirror of every source that its text contains anywhere, with
 * the first occurrence replaced, then as it is written. Sources, which it takes in random order, are in that of their
 * bytes. Behaviour: support/releaseinfo/registry_image_content_policies.go.
 */
export function findReleaseCandidatesLikeHypershift(
  image: string,
  overrides: RegistryOverrides,
  unavailable: Unavailable = new Map(),
): readonly ImageCandidate[] {
  const places = placesOf(overrides, (source, mirror) => {
    const at = image.indexOf(source);
    if (at < 0) return undefined;
    const reference = image.slice(0, at) + mirror + image.slice(at + source.length);
    return { reference, source, mirror, obstacle: null };
  });
  const own: Place = { reference: image, source: null, mirror: null, obstacle: null };
  return takeFirst([...places, own], unavailable, laterThan);
}
