import type { ImageReference } from "../../images/image-reference.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { readMirrorObjects } from "../../mirrors/input/read-mirror-sets.ts";
import { validateRules } from "../../mirrors/input/validate-rules.ts";
import { buildEntries, mergeSources } from "../../mirrors/merge/merge.ts";
import { type Candidate, resolve } from "../../mirrors/pull/pull-sources.ts";

function managementLocations(mirrorObjects: readonly KubernetesObject[]) {
  const { usable } = validateRules(readMirrorObjects(mirrorObjects).rules, "anyone");
  const { entries } = buildEntries({ ...mergeSources(usable), insecure: [], blocked: [] });
  return (image: ImageReference) => resolve(entries, image).candidates;
}

/** Returns the references by which nodes of the management cluster pull an image, mirrors first. */
export function pulledReferences(
  image: ImageReference,
  mirrorObjects: readonly KubernetesObject[],
): readonly string[] {
  const candidates = managementLocations(mirrorObjects)(image);
  return candidates.flatMap(({ taken, reference }) => (taken ? [reference] : []));
}

/**
 * Returns a function that lists an image's references in the mirrors, also in those that serve nodes only digests or
 * only tags: hubrelay queries the mirrors itself.
 */
export function mirrorsOf(
  mirrorObjects: readonly KubernetesObject[],
): (image: ImageReference) => readonly string[] {
  const locations = managementLocations(mirrorObjects);
  const isMirror = ({ isSource, reason }: Candidate) =>
    !isSource && (reason === null || reason === "digest-only" || reason === "tag-only");
  return (image) => locations(image).flatMap((one) => (isMirror(one) ? [one.reference] : []));
}
