import { tryResolveName } from "../../images/image-name.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { Release } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import { lookupFormOf, newestLookupForm } from "../facts/lookup-forms.ts";
import { findCandidates, type ImageCandidate, type Unavailable } from "./candidates.ts";
import {
  findCandidatesLikeHypershift,
  findReleaseCandidatesLikeHypershift,
} from "./hypershift-candidates.ts";
import { overridesLikeHypershift } from "./hypershift-overrides.ts";
import { readManagementMirrors } from "./management-mirrors.ts";
import type { RegistryReplacements } from "./registry-overrides-flag.ts";
import { type ReplacementRule, replacementRule } from "./replace-registry.ts";

/** The locations in which an image is looked for on behalf of hosted clusters. */
export type HostedImageExplanation = Readonly<{
  /** As requested. */
  image: string;
  /** In the order of trying. */
  candidates: readonly ImageCandidate[];
  /** Its name as a component of a release, after `--registry-overrides`; the first of several possible ones. */
  componentImage: string;
  /** What HyperShift's operator, which is usually newer, takes instead; absent if it takes the same. */
  operatorReference?: string | null;
  /** The other names that it may have, where HyperShift's order of replacements is random; absent without any. */
  otherComponentImages?: readonly string[];
}>;

export type ExplainHostedOptions = Readonly<{
  compat?: "hypershift" | undefined;
  /** The value of `--registry-overrides`. */
  replacements?: RegistryReplacements | undefined;
  /** The release of the control plane, whose rules decide; without it those of HyperShift's main. */
  release?: Release | undefined;
  /** Whether it is a hosted cluster's release image, which HyperShift looks up by rules of its own. */
  isRelease?: boolean | undefined;
  /** References that were looked up without success: the next one is taken. */
  unavailable?: Unavailable | undefined;
}>;

type Found = Readonly<{ candidates: readonly ImageCandidate[] } | { problem: string }>;

function findLikeHypershift(
  image: string,
  objects: readonly KubernetesObject[],
  { isRelease, release, unavailable }: ExplainHostedOptions,
): Found {
  const { overrides } = overridesLikeHypershift(objects);
  return isRelease
    ? { candidates: findReleaseCandidatesLikeHypershift(image, overrides, unavailable, release) }
    : findCandidatesLikeHypershift(image, overrides, unavailable, release);
}

function find(
  image: string,
  objects: readonly KubernetesObject[],
  { isRelease, release, unavailable }: ExplainHostedOptions,
): Found {
  const [reference] = tryResolveName(image)?.references ?? [];
  if (!reference)
    return {
      problem: sentence`${JSON.stringify(image)} is not an image name with a host: host[:port]/path[:tag][@digest].`,
    };
  const { sources } = readManagementMirrors(objects);
  return { candidates: findCandidates(reference, sources, unavailable, isRelease ? undefined : release) };
}

/** Finds the candidates with the names under which they are looked up, in which `unavailable` is given too. */
function findRenamed(
  findWith: (unavailable: Unavailable) => Found,
  rename: (reference: string) => string,
  unavailable: Unavailable = new Map(),
): Found {
  const all = findWith(new Map());
  if ("problem" in all) return all;
  const missing = all.candidates.flatMap(({ reference }): [string, string][] => {
    const why = reference === null ? undefined : unavailable.get(rename(reference));
    return reference === null || why === undefined ? [] : [[reference, why]];
  });
  const found = missing.length === 0 ? all : findWith(new Map(missing));
  if ("problem" in found) return found;
  const candidates = found.candidates.map((candidate): ImageCandidate => {
    const { reference } = candidate;
    return { ...candidate, reference: reference === null ? null : rename(reference) };
  });
  return { candidates };
}

const takenReference = (candidates: readonly ImageCandidate[]): string | null =>
  candidates.find(({ taken }) => taken)?.reference ?? null;

/** What HyperShift's operator takes, where its rules are newer than those of the control plane and give another place. */
function operatorDifference(
  image: string,
  objects: readonly KubernetesObject[],
  candidates: readonly ImageCandidate[],
  { release, isRelease, unavailable }: ExplainHostedOptions,
): Pick<HostedImageExplanation, "operatorReference"> {
  if (isRelease || lookupFormOf(release) === newestLookupForm) return {};
  const newest = findLikeHypershift(image, objects, { unavailable });
  if ("problem" in newest) return {};
  const operatorReference = takenReference(newest.candidates);
  return operatorReference === takenReference(candidates) ? {} : { operatorReference };
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
  const { compat, replacements = new Map<string, string>(), release, isRelease, unavailable } = options;
  const rule: ReplacementRule = replacementRule(release);
  const found = findRenamed(
    (missing) => (compat ? findLikeHypershift : find)(image, objects, { ...options, unavailable: missing }),
    (reference) => (isRelease ? rule.releaseName(reference, replacements) : reference),
    unavailable,
  );
  if ("problem" in found) return found;
  const [componentImage = image, ...others] = rule.namesOf(image, replacements);
  return {
    image,
    candidates: found.candidates,
    componentImage,
    ...operatorDifference(image, objects, found.candidates, options),
    ...(others.length > 0 ? { otherComponentImages: others } : {}),
  };
}
