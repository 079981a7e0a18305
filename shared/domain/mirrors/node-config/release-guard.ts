import type { ImageReference } from "../../images/image-reference.ts";
import { indexScopes, isNested } from "../../images/scope.ts";
import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import { buildEntries } from "../merge/entries.ts";
import type { MergedMirrors } from "../merge/merge.ts";
import { findEntry, pullSources } from "../pull/pull-sources.ts";
import { loadFailure } from "../registries-conf/load-failure.ts";

/** The input of the guard. Tag mirrors do not count: the release payload is pulled by digest. */
type GuardInput = Readonly<{
  payload: ImageReference;
  /** Called only when a blocked scope contains the payload. */
  digest: () => readonly MergedMirrors[];
  insecure: readonly ListedScope[];
  blocked: readonly ListedScope[];
}>;

/** The scopes that machine-config-operator blocks. */
export type GuardVerdict = Readonly<{
  /** In registries.conf. */
  registriesBlocked: readonly ListedScope[];
  /** In policy.json. */
  policyBlocked: readonly ListedScope[];
  /** Those that it does not block, since they contain the payload, which has no other location. */
  dropped: readonly ListedScope[];
  /** Blocked scopes that contain the payload, which has an unblocked mirror. */
  containing: readonly ListedScope[];
  /** Why the check failed; all lists above are then empty. */
  failure?: string;
}>;

/** Returns the verdict that these scopes are blocked as they are. */
export const blocking = (scopes: readonly ListedScope[]): GuardVerdict => ({
  registriesBlocked: scopes,
  policyBlocked: scopes,
  dropped: [],
  containing: [],
});

type MirrorCheck = Readonly<{ hasUnblockedMirror: boolean }> | Readonly<{ failure: string }>;

/** Builds a trial configuration and looks for a mirror of the payload that is not blocked. */
function checkMirrors({ payload, digest, insecure, blocked }: GuardInput): MirrorCheck {
  const blockedScopes = blocked.map(({ scope }) => scope);
  const { entries, nestedWildcards } = buildEntries({
    base: [],
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

/**
 * Decides which scopes are blocked: one that contains the repository of the release payload only when the payload can be
 * pulled by digest from a mirror that is not blocked itself. When that cannot be checked, no scope is blocked at all.
 */
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

/** Returns the issues of the guard's verdict on the blocked registries of the Image configuration. */
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
