import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { formatImageReference, type ImageReference } from "../../images/image-reference.ts";
import { indexScopes, isNested } from "../../images/scope.ts";
import { fieldIssue, fieldWarning, type Issue, type Severity } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ListedScope } from "../input/read-image.ts";
import { buildEntries } from "../merge/entries.ts";
import type { MergedMirrors } from "../merge/merge.ts";
import { findEntry, pullSources } from "../pull/pull-sources.ts";
import { loadFailure } from "../registries-conf/load-failure.ts";

/** The input of the guard. Tag mirrors do not count: the release payload is pulled by digest. */
type GuardInput = Readonly<{
  /** What nodes must be able to pull. */
  needed: readonly ImageReference[];
  /** References that their registries do not have. */
  absent?: ReadonlySet<string>;
  /** Called only when a blocked scope contains the payload. */
  digest: () => readonly MergedMirrors[];
  insecure: readonly ListedScope[];
  blocked: readonly ListedScope[];
}>;

/** The scopes that can be blocked while nodes can still pull the release payload. */
export type GuardVerdict = Readonly<{
  /** For registries.conf. */
  registriesBlocked: readonly ListedScope[];
  /** For policy.json. */
  policyBlocked: readonly ListedScope[];
  /** Blocked scopes that are dropped because an image in them has no other location. */
  dropped: readonly DroppedScope[];
  /** Blocked scopes that contain needed images, which all have an unblocked mirror or are exempt. */
  containing: readonly ListedScope[];
  /** Those of them with images that are exempt, because they have no other location (`exempts` only). */
  exempting: readonly ExemptingScope[];
  /** Why the check failed (`failsOpen` only); all lists above are then empty. */
  failure?: string;
}>;

/** A blocked scope that is not applied, and an image that would be cut off. */
type DroppedScope = ListedScope & Readonly<{ image: ImageReference }>;

/** A blocked scope that is applied without these images. */
type ExemptingScope = ListedScope & Readonly<{ images: readonly ImageReference[] }>;

/** Returns the verdict that these scopes are blocked as they are. */
export const blocking = (scopes: readonly ListedScope[]): GuardVerdict => ({
  registriesBlocked: scopes,
  policyBlocked: scopes,
  dropped: [],
  containing: [],
  exempting: [],
});

type GuardOptions = Readonly<{
  failsOpen: boolean;
  /** Such a scope is blocked without the repositories of images that it would cut off, unless it is one of them. */
  exempts?: (scope: string) => boolean;
}>;

type MirrorCheck = Readonly<{ hasUnblockedMirror: boolean; failure?: string }>;

/** Returns the check of one image; the trial configuration is built once. */
function mirrorCheck(
  { absent = new Set(), digest, insecure, blocked }: GuardInput,
  failsOpen: boolean,
): (image: ImageReference) => MirrorCheck {
  const blockedScopes = blocked.map(({ scope }) => scope);
  const insecureScopes = insecure.map(({ scope }) => scope);
  const { entries, nestedWildcards } = buildEntries({
    base: [],
    digest: digest(),
    tag: [],
    any: [],
    insecure: insecureScopes,
    blocked: blockedScopes,
  });
  const blockedIndex = indexScopes(blockedScopes);
  return (image) => {
    const entry = findEntry(entries, image.repository);
    const sources = entry ? pullSources(entry, image) : [];
    const usable = sources.filter(
      ({ reference }) =>
        reference &&
        !blockedIndex.covers(reference.repository) &&
        !absent.has(formatImageReference(reference)),
    );
    const check = { hasUnblockedMirror: usable.length > 0 };
    if (!failsOpen) return check;

    const [wildcard] = nestedWildcards;
    if (wildcard) {
      const failure = sentence`internal error: mirrorsAdjustedForNestedScope for a wildcard scope ${goQuote(wildcard.source)}`;
      return { ...check, failure };
    }
    const failure = loadFailure({ entries });
    if (failure) return { ...check, failure };
    if (!entry) return { ...check, failure: "no entry of registries.conf matches the release image" };
    const broken = sources.find(({ reference }) => !reference);
    if (!broken) return check;
    return {
      ...check,
      failure: sentence`rewriting reference: ${broken.location} is not a full image reference`,
    };
  };
}

/**
 * Decides which blocked scopes can be applied. A scope that contains a repository of the release payload is only
 * blocked when the images in it can be pulled by digest from a mirror that is not blocked itself.
 *
 * With `failsOpen` it does what machine-config-operator does: every blocked scope is dropped when the trial
 * configuration cannot be built (`failure`). Otherwise mirrors that would fail there are skipped, and the verdict
 * uses the ones that work: no scope is dropped without need.
 */
export function guardRelease(
  input: GuardInput,
  { failsOpen, exempts = () => false }: GuardOptions,
): GuardVerdict {
  const { needed, blocked } = input;
  const registriesBlocked: ListedScope[] = [];
  const policyBlocked: ListedScope[] = [];
  const dropped: DroppedScope[] = [];
  const containing: ListedScope[] = [];
  const exempting: ExemptingScope[] = [];
  let checkOf: ((image: ImageReference) => MirrorCheck) | undefined;
  for (const listed of blocked) {
    const inside = needed.filter(({ repository }) => isNested(repository, listed.scope));
    if (inside.length === 0) {
      registriesBlocked.push(listed);
      policyBlocked.push(listed);
      continue;
    }
    checkOf ??= mirrorCheck(input, failsOpen);
    const checks = inside.map(checkOf);
    const failure = checks.find((check) => check.failure)?.failure;
    if (failure) return { ...blocking([]), failure };
    const cutOff = inside.filter((_, index) => !checks[index]?.hasUnblockedMirror);
    const [image] = cutOff;
    if (image) {
      if (!exempts(listed.scope) || cutOff.some(({ repository }) => repository === listed.scope)) {
        dropped.push({ ...listed, image });
        continue;
      }
      exempting.push({ ...listed, images: cutOff });
    }
    registriesBlocked.push(listed);
    containing.push(listed);
    if (!inside.some(({ repository }) => repository === listed.scope)) policyBlocked.push(listed);
  }
  return { registriesBlocked, policyBlocked, dropped, containing, exempting };
}

/** Returns the issues of the guard's verdict on the blocked registries of the Image configuration. */
export function guardIssues(
  verdict: GuardVerdict,
  image: KubernetesObject,
  blocked: readonly ListedScope[],
  severity: Severity,
): readonly Issue[] {
  if (verdict.failure !== undefined) {
    const scopes = blocked.map(({ scope }) => scope);
    return [
      fieldWarning(image, "spec.registrySources.blockedRegistries", scopes, {
        code: "GuardFailedOpen",
        message: sentence`machine-config-operator blocks none of these registries, because it could not check whether the release payload stays reachable: ${verdict.failure}`,
        remedy: "Fix this cause, or render without compat, where the check does not fail.",
      }),
    ];
  }
  const dropped = verdict.dropped.map(({ scope, path, image: { repository } }) =>
    fieldIssue(image, path, scope, {
      code: "PayloadBlocked",
      severity,
      message: sentence`error adding [${goQuote(scope)}] to blocked registries, cannot block the repository being used by the payload${severity === "error" ? "; the whole entry is left out, so it blocks nothing" : ""}`,
      remedy: sentence`Mirror ${repository} with an ImageDigestMirrorSet to a location that is not blocked, or remove this entry.`,
    }),
  );
  const exempting = verdict.exempting.map(({ scope, path, images }) => {
    const repositories = images.map(({ repository }) => repository);
    return fieldIssue(image, path, scope, {
      code: "PayloadBlocked",
      severity,
      message: sentence`${goQuote(scope)} is blocked without ${repositories.map(goQuote).join(", ")}: images of the release payload are there, and no open mirror has them`,
      remedy: sentence`Mirror ${repositories.join(" and ")} with an ImageDigestMirrorSet to a location that is not blocked, or remove this entry.`,
    });
  });
  return [...dropped, ...exempting];
}
