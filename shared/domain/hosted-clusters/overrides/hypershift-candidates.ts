import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { parseDockerReference, referenceText } from "../../images/docker-reference.ts";
import type { RegistryOverrides } from "./environment-text.ts";
import { applyPair } from "./hypershift-rules.ts";
import { type ImageCandidate, type Location, takeFirst, type Unavailable } from "./image-candidate.ts";

function laterThan(location: Location, taken: Location): string {
  if (location.mirror === null || location.source === taken.source)
    return "HyperShift tries it only if the candidates before it cannot be read";
  return sentence`HyperShift tries sources in random order: this one may come before ${taken.source}`;
}

/** Calls `locate` for each pair of source and mirror. */
function locationsOf(
  overrides: RegistryOverrides,
  locate: (source: string, mirror: string) => Location | undefined,
): readonly Location[] {
  return [...overrides].flatMap(([source, mirrors]) =>
    mirrors.flatMap((mirror) => locate(source, mirror) ?? []),
  );
}

/**
 * Returns where HyperShift looks for the metadata of an image: by its three rules, mirrors in their order, and
 * finally the image's own location. Sources, which HyperShift takes in random order, are sorted by bytes. A pair
 * that HyperShift skips with a message has it as its reason. Returns the `problem` for an unparsable image.
 */
export function findCandidatesLikeHypershift(
  image: string,
  overrides: RegistryOverrides,
  unavailable: Unavailable = new Map(),
): Readonly<{ candidates: readonly ImageCandidate[] } | { problem: string }> {
  const parsed = parseDockerReference(image);
  if ("error" in parsed)
    return { problem: sentence`failed to parse image reference ${goQuote(image)}: ${parsed.error}` };
  const { reference } = parsed;
  const locations = locationsOf(overrides, (source, mirror) => {
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
  const own: Location = {
    reference: referenceText(reference),
    source: null,
    mirror: null,
    obstacle: null,
  };
  return { candidates: takeFirst([...locations, own], unavailable, laterThan) };
}

/**
 * Returns where HyperShift looks for a release image: in each mirror of every source that its text contains
 * anywhere, with the first occurrence replaced, then as written. HyperShift takes sources in random order; here
 * they are sorted by bytes. Behaviour: support/releaseinfo/registry_image_content_policies.go.
 */
export function findReleaseCandidatesLikeHypershift(
  image: string,
  overrides: RegistryOverrides,
  unavailable: Unavailable = new Map(),
): readonly ImageCandidate[] {
  const locations = locationsOf(overrides, (source, mirror) => {
    const at = image.indexOf(source);
    if (at < 0) return undefined;
    const reference = image.slice(0, at) + mirror + image.slice(at + source.length);
    return { reference, source, mirror, obstacle: null };
  });
  const own: Location = { reference: image, source: null, mirror: null, obstacle: null };
  return takeFirst([...locations, own], unavailable, laterThan);
}
