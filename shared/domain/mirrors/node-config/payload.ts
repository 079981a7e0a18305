import { formatImageReference, type ImageReference } from "../../images/image-reference.ts";
import { indexScopes, isNested } from "../../images/scope.ts";
import { fieldIssue, fieldWarning, type Issue, type Problem, type Severity } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import { type MirrorRule, ruleIssue } from "../input/rules.ts";
import { buildEntries, type MergedMirrors } from "../merge/merge.ts";
import { findByScope, findEntry, pullSources, rewriteReference } from "../pull/pull-sources.ts";
import { loadFailure } from "../registries-conf/load-failure.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";

// Without the release payload, nodes can neither upgrade nor be repaired. Output is therefore checked before writing.

/**
 * Returns the rules with a mirror that makes every pull of the payload fail, such as a bare host for the payload's own
 * repository: the container runtime gives up if the rewritten text for any mirror is not a reference.
 */
export function rulesThatBreakPayload(
  groups: readonly MergedMirrors[],
  payload: ImageReference,
): readonly MirrorRule[] {
  const deciding = findByScope(groups, ({ source }) => source, payload.repository)?.source;
  // Stryker disable next-line ConditionalExpression: no group has an undefined source, so none is found below
  if (deciding === undefined) return [];
  const isBroken = (mirror: string): boolean => !rewriteReference(payload, deciding, mirror);
  return groups
    .filter(({ source }) => source === deciding)
    .flatMap(({ rules }) => rules.filter(({ mirrors }) => mirrors.some(isBroken)));
}

/** Reports whether a payload image can be pulled from a location that is neither blocked nor in `absent`. */
export function isPayloadReachable(
  entries: readonly RegistryEntry[],
  payload: ImageReference,
  absent: ReadonlySet<string> = new Set(),
): boolean {
  const entry = findEntry(entries, payload.repository);
  if (!entry) return true;
  const sources = pullSources(entry, payload);
  if (sources.some(({ reference }) => !reference)) return false;
  return sources.some(
    ({ reference }) =>
      reference &&
      findEntry(entries, reference.repository)?.blocked !== true &&
      !absent.has(formatImageReference(reference)),
  );
}

/** Returns the unblocked mirrors of an image if its source must not be contacted; otherwise an empty list. */
export function onlyLocations(
  entries: readonly RegistryEntry[],
  image: ImageReference,
): readonly ImageReference[] {
  const entry = findEntry(entries, image.repository);
  if (!entry?.blocked) return [];
  return pullSources(entry, image).flatMap(({ reference }) =>
    reference && !findEntry(entries, reference.repository)?.blocked ? [reference] : [],
  );
}

/** Returns the issue about a rule from `rulesThatBreakPayload`. */
export function breaksPayload(rule: MirrorRule, payload: ImageReference, severity: Severity): Issue {
  return ruleIssue(rule, "mirrors", rule.mirrors, {
    code: "MirrorBreaksPayload",
    severity,
    message: sentence`rewriting reference: repository name must be canonical: with these mirrors every pull of the release payload ${goQuote(payload.repository)} fails`,
    remedy: "Give the mirror a repository: host[:port]/path.",
  });
}

const quoted = (images: readonly ImageReference[]): string =>
  images.map(({ repository }) => goQuote(repository)).join(", ");

/** Returns the issues of payload images that nodes can pull from no location. */
export function unreachablePayload(
  images: readonly ImageReference[],
  {
    entries,
    groups,
    image: imageConfig,
    blocked,
    absent,
  }: Readonly<{
    entries: readonly RegistryEntry[];
    groups: readonly MergedMirrors[];
    image: KubernetesObject | undefined;
    blocked: readonly ListedScope[];
    absent?: ReadonlySet<string>;
  }>,
  severity: Severity,
): readonly Issue[] {
  const cutOff = images.filter((image) => !isPayloadReachable(entries, image, absent));
  const byScope = Map.groupBy(cutOff, ({ repository }) => {
    const entry = findEntry(entries, repository);
    return entry && scopeOf(entry);
  });
  return [...byScope].flatMap(([scope, inside]): readonly Issue[] => {
    const isAbsent = inside.some((image) => isPayloadReachable(entries, image));
    const problem: Problem = {
      code: "PayloadUnreachable",
      severity,
      message: sentence`the release payload ${quoted(inside)} could not be pulled from anywhere: its source must not be contacted, and no mirror for pulls by digest ${isAbsent ? "has it" : "is open"}`,
      remedy:
        "Add a digest mirror that has the release payload and is not blocked, or allow contacting the source.",
    };
    const rules = groups.filter(({ source }) => source === scope).flatMap((group) => group.rules);
    const listed = blocked.find((one) => inside.some(({ repository }) => isNested(repository, one.scope)));
    if (rules.length === 0 && imageConfig && listed) {
      return [fieldIssue(imageConfig, listed.path, listed.scope, problem)];
    }
    return rules.map((rule) => ruleIssue(rule, "source", rule.source, problem));
  });
}

type GuardInput = Readonly<{
  payload: ImageReference;
  /**
   * Returns the merged mirrors for digests, by which payloads are pulled. It is called only if a blocked scope contains
   * the payload.
   */
  digest: () => readonly MergedMirrors[];
  insecure: readonly ListedScope[];
  blocked: readonly ListedScope[];
}>;

/** The scopes that machine-config-operator blocks. */
export type GuardVerdict = Readonly<{
  registriesBlocked: readonly ListedScope[];
  policyBlocked: readonly ListedScope[];
  /** Scopes that are not blocked: they contain the payload, and the payload has no unblocked mirror. */
  dropped: readonly ListedScope[];
  /** Blocked scopes that contain the payload. They stay blocked, since the payload has an unblocked mirror. */
  containing: readonly ListedScope[];
  /** Why the payload's mirrors could not be checked. No scope is then blocked. Absent without a failure. */
  failure?: string;
}>;

/** Returns the verdict that blocks exactly these scopes. */
export const blocking = (scopes: readonly ListedScope[]): GuardVerdict => ({
  registriesBlocked: scopes,
  policyBlocked: scopes,
  dropped: [],
  containing: [],
});

type MirrorCheck = Readonly<{ hasUnblockedMirror: boolean }> | Readonly<{ failure: string }>;

function checkMirrors({ payload, digest, insecure, blocked }: GuardInput): MirrorCheck {
  const blockedScopes = blocked.map(({ scope }) => scope);
  const { entries, nestedWildcards } = buildEntries({
    digest: digest(),
    tag: [],
    insecure: insecure.map(({ scope }) => scope),
    blocked: blockedScopes,
  });
  const [wildcard] = nestedWildcards;
  if (wildcard) {
    const { source } = wildcard;
    return {
      failure: sentence`internal error: mirrorsAdjustedForNestedScope for a wildcard scope ${goQuote(source)}`,
    };
  }
  const failure = loadFailure({ entries });
  if (failure) return { failure };
  const entry = findEntry(entries, payload.repository);
  if (!entry) return { failure: "no entry of registries.conf matches the release image" };
  const sources = pullSources(entry, payload);
  const broken = sources.find(({ reference }) => !reference);
  if (broken)
    return { failure: sentence`rewriting reference: ${broken.location} is not a full image reference` };
  const index = indexScopes(blockedScopes);
  return {
    hasUnblockedMirror: sources.some(({ reference }) => reference && !index.covers(reference.repository)),
  };
}

/** Decides which scopes are blocked. Scopes around the payload are blocked only if it has an unblocked mirror. */
export function guardRelease(input: GuardInput): GuardVerdict {
  const { payload, blocked } = input;
  const isAround = ({ scope }: ListedScope) => isNested(payload.repository, scope);
  const containing = blocked.filter(isAround);
  if (containing.length === 0) return blocking(blocked);
  const check = checkMirrors(input);
  if ("failure" in check) return { ...blocking([]), failure: check.failure };
  if (!check.hasUnblockedMirror)
    return { ...blocking(blocked.filter((one) => !isAround(one))), dropped: containing };
  return {
    registriesBlocked: blocked,
    policyBlocked: blocked.filter(({ scope }) => scope !== payload.repository),
    dropped: [],
    containing,
  };
}

/** Returns warnings about blocked registries of the Image that machine-config-operator does not block. */
export function guardIssues(
  { failure, dropped }: GuardVerdict,
  image: KubernetesObject,
  blocked: readonly ListedScope[],
  { repository }: ImageReference,
): readonly Issue[] {
  if (failure !== undefined) {
    const scopes = blocked.map(({ scope }) => scope);
    return [
      fieldWarning(image, "spec.registrySources.blockedRegistries", scopes, {
        code: "GuardFailedOpen",
        message: sentence`machine-config-operator blocks none of these registries, because it could not check whether the release payload stays reachable: ${failure}`,
        remedy: "Fix this cause: until then nodes pull from these registries.",
      }),
    ];
  }
  return dropped.map(({ scope, path }) =>
    fieldWarning(image, path, scope, {
      code: "PayloadBlocked",
      message: sentence`error adding [${goQuote(scope)}] to blocked registries, cannot block the repository being used by the payload; the entry blocks nothing`,
      remedy: sentence`Mirror ${repository} with an ImageDigestMirrorSet to a location that is not blocked, or remove this entry.`,
    }),
  );
}
