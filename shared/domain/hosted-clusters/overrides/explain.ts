import type { KubernetesObject } from "../../kubernetes/object.ts";
import { tryResolveName } from "../../mirrors/pull/image-name.ts";
import { findCandidates } from "./candidates.ts";
import {
  findCandidatesLikeHypershift,
  findReleaseCandidatesLikeHypershift,
} from "./hypershift-candidates.ts";
import { overridesLikeHypershift } from "./hypershift-overrides.ts";
import type { ImageCandidate, Unavailable } from "./image-candidate.ts";
import { readManagementMirrors } from "./management-mirrors.ts";
import { type RegistryReplacements, replaceRegistry } from "./registry-overrides-flag.ts";

/** The locations in which an image is looked for on behalf of hosted clusters. */
export type HostedImageExplanation = Readonly<{
  /** As requested. */
  image: string;
  /** In the order of trying. */
  candidates: readonly ImageCandidate[];
  /** Its name as a component of a release, after `--registry-overrides`. */
  componentImage: string;
}>;

export type ExplainHostedOptions = Readonly<{
  compat?: "hypershift" | undefined;
  /** The value of `--registry-overrides`. */
  replacements?: RegistryReplacements | undefined;
  /** Whether it is a hosted cluster's release image, which HyperShift looks up by rules of its own. */
  isRelease?: boolean | undefined;
  /** References that were looked up without success: the next one is taken. */
  unavailable?: Unavailable | undefined;
}>;

type Found = Readonly<{ candidates: readonly ImageCandidate[] } | { problem: string }>;

function findLikeHypershift(
  image: string,
  objects: readonly KubernetesObject[],
  { isRelease, unavailable }: ExplainHostedOptions,
): Found {
  const { overrides } = overridesLikeHypershift(objects);
  return isRelease
    ? { candidates: findReleaseCandidatesLikeHypershift(image, overrides, unavailable) }
    : findCandidatesLikeHypershift(image, overrides, unavailable);
}

function find(
  image: string,
  objects: readonly KubernetesObject[],
  { unavailable }: ExplainHostedOptions,
): Found {
  const [reference] = tryResolveName(image, {})?.references ?? [];
  if (!reference)
    return {
      problem: `${JSON.stringify(image)} is not an image name with a host: host[:port]/path[:tag][@digest].`,
    };
  return { candidates: findCandidates(reference, readManagementMirrors(objects).sources, unavailable) };
}

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
  const { compat, replacements = new Map() } = options;
  const found = (compat ? findLikeHypershift : find)(image, objects, options);
  if ("problem" in found) return found;
  return { image, candidates: found.candidates, componentImage: replaceRegistry(image, replacements) };
}
