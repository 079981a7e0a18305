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

/** Where an image is looked for on behalf of hosted clusters. */
export type HostedImageExplanation = Readonly<{
  /** As it was asked for. */
  image: string;
  /** In the order of trying. */
  candidates: readonly ImageCandidate[];
  /** The name that it has as a component of a release, after `--registry-overrides`. */
  componentImage: string;
}>;

export type ExplainHostedOptions = Readonly<{
  compat?: "hypershift" | undefined;
  /** What `--registry-overrides` says. */
  replacements?: RegistryReplacements | undefined;
  /** It is a hosted cluster's release image, which HyperShift looks up by rules of its own. */
  isRelease?: boolean | undefined;
  /** References that registries were asked for in vain: the next one is taken. */
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
      problem: `${JSON.stringify(image)} is no image name with a host: host[:port]/path[:tag][@digest].`,
    };
  return { candidates: findCandidates(reference, readManagementMirrors(objects).sources, unavailable) };
}

/**
 * Where an image is looked for on behalf of hosted clusters, given the mirror objects of the management cluster: every
 * candidate in order, which of them is taken, and why each other is not. Answers the `problem` when the image is no
 * image name; never throws.
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
