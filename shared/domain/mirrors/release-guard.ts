import { buildEntries } from "./entries.ts";
import type { ImageReference } from "./image-reference.ts";
import type { MergedMirrors } from "./merge.ts";
import { findEntry, pullSources } from "./pull-sources.ts";
import type { ListedScope } from "./read-image.ts";
import { type RegistryEntry, scopeOf } from "./registry-entry.ts";
import { isNested, isNestedInAny } from "./scope.ts";

/** What the guard looks at. Tag mirrors do not count: the release payload is pulled by digest. */
export type GuardInput = Readonly<{
  payload: ImageReference;
  digest: readonly MergedMirrors[];
  insecure: readonly ListedScope[];
  blocked: readonly ListedScope[];
}>;

/** What may be blocked without cutting the nodes off from the release payload. */
export type GuardVerdict = Readonly<{
  /** For registries.conf. */
  registriesBlocked: readonly ListedScope[];
  /** For policy.json. */
  policyBlocked: readonly ListedScope[];
  /** Blocked scopes that are dropped because the payload has no other place to come from. */
  dropped: readonly ListedScope[];
  /** Blocked scopes that contain the payload, which has an unblocked mirror. */
  containing: readonly ListedScope[];
  /** Why the question could not be answered (`compat` only); then all of the above is empty. */
  failure?: string;
}>;

function hasConflictingFlags(entries: readonly RegistryEntry[]): boolean {
  const flags = new Map<string, string>();
  return entries.some((entry) => {
    const key = scopeOf(entry).replace(/\/+$/, "");
    const own = `${entry.insecure} ${entry.blocked}`;
    const known = flags.get(key);
    flags.set(key, known ?? own);
    return known !== undefined && known !== own;
  });
}

/** Why the container runtime refuses to load a file with these entries, if it does. */
function loadFailure(entries: readonly RegistryEntry[]): string | undefined {
  const schemed = entries.find(({ location }) => /^https?:\/\//.test(location));
  if (schemed) return `invalid location '${schemed.location}': URI schemes are not supported`;
  if (hasConflictingFlags(entries)) return "a registry is defined multiple times with conflicting settings";
  return undefined;
}

type MirrorAnswer = Readonly<{ hasUnblockedMirror: boolean; failure?: string }>;

function askForMirror({ payload, digest, insecure, blocked }: GuardInput, strictly: boolean): MirrorAnswer {
  const blockedScopes = blocked.map(({ scope }) => scope);
  const insecureScopes = insecure.map(({ scope }) => scope);
  const { entries, nestedWildcards } = buildEntries({
    base: [],
    digest,
    tag: [],
    any: [],
    insecure: insecureScopes,
    blocked: blockedScopes,
  });
  const blockedSet = new Set(blockedScopes);
  const entry = findEntry(entries, payload.repository);
  const sources = entry ? pullSources(entry, payload) : [];
  const usable = sources.filter(
    ({ reference }) => reference && !isNestedInAny(reference.repository, blockedSet),
  );
  const answer = { hasUnblockedMirror: usable.length > 0 };
  if (!strictly) return answer;

  const [wildcard] = nestedWildcards;
  if (wildcard) {
    const failure = `internal error: mirrorsAdjustedForNestedScope for a wildcard scope "${wildcard.source}"`;
    return { ...answer, failure };
  }
  const failure = loadFailure(entries);
  if (failure) return { ...answer, failure };
  if (!entry) return { ...answer, failure: "no entry of registries.conf matches the release image" };
  if (sources.some(({ reference }) => !reference)) {
    return { ...answer, failure: "rewriting reference: repository name must be canonical" };
  }
  return answer;
}

/**
 * Decides which blocked scopes can be applied. A scope that contains the release payload's repository is only
 * blocked when the payload can be pulled by digest from a mirror that is not blocked itself.
 *
 * `strictly` answers as machine-config-operator does, including that every blocked scope is given up when it
 * cannot build its trial configuration (`failure`). Otherwise the guard never gives up a scope that it need
 * not: what would fail there is answered by looking at the mirrors that do work.
 */
export function guardRelease(input: GuardInput, strictly: boolean): GuardVerdict {
  const { payload, blocked } = input;
  const registriesBlocked: ListedScope[] = [];
  const policyBlocked: ListedScope[] = [];
  const dropped: ListedScope[] = [];
  const containing: ListedScope[] = [];
  let answer: MirrorAnswer | undefined;
  for (const listed of blocked) {
    if (!isNested(payload.repository, listed.scope)) {
      registriesBlocked.push(listed);
      policyBlocked.push(listed);
      continue;
    }
    answer ??= askForMirror(input, strictly);
    if (answer.failure) {
      return {
        registriesBlocked: [],
        policyBlocked: [],
        dropped: [],
        containing: [],
        failure: answer.failure,
      };
    }
    if (!answer.hasUnblockedMirror) {
      dropped.push(listed);
      continue;
    }
    registriesBlocked.push(listed);
    containing.push(listed);
    if (listed.scope !== payload.repository) policyBlocked.push(listed);
  }
  return { registriesBlocked, policyBlocked, dropped, containing };
}
