import { goQuote } from "../../go-compat/go-quote.ts";
import type { ImageReference } from "../../images/image-reference.ts";
import { indexScopes, isNested } from "../../images/scope.ts";
import type { ListedScope } from "../input/read-image.ts";
import { buildEntries } from "../merge/entries.ts";
import type { MergedMirrors } from "../merge/merge.ts";
import { findEntry, pullSources } from "../pull/pull-sources.ts";
import { loadFailure } from "../registries-conf/load-failure.ts";

/** The input of the guard. Tag mirrors do not count: the release payload is pulled by digest. */
export type GuardInput = Readonly<{
  payload: ImageReference;
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
  /** Blocked scopes that are dropped because the payload has no other location. */
  dropped: readonly ListedScope[];
  /** Blocked scopes that contain the payload, which has an unblocked mirror. */
  containing: readonly ListedScope[];
  /** Why the check failed (`failsOpen` only); all lists above are then empty. */
  failure?: string;
}>;

type MirrorCheck = Readonly<{ hasUnblockedMirror: boolean; failure?: string }>;

function checkMirrors({ payload, digest, insecure, blocked }: GuardInput, failsOpen: boolean): MirrorCheck {
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
  const entry = findEntry(entries, payload.repository);
  const sources = entry ? pullSources(entry, payload) : [];
  const usable = sources.filter(({ reference }) => reference && !blockedIndex.covers(reference.repository));
  const check = { hasUnblockedMirror: usable.length > 0 };
  if (!failsOpen) return check;

  const [wildcard] = nestedWildcards;
  if (wildcard) {
    const failure = `internal error: mirrorsAdjustedForNestedScope for a wildcard scope ${goQuote(wildcard.source)}`;
    return { ...check, failure };
  }
  const failure = loadFailure(entries);
  if (failure) return { ...check, failure };
  if (!entry) return { ...check, failure: "no entry of registries.conf matches the release image" };
  const broken = sources.find(({ reference }) => !reference);
  if (broken) {
    return { ...check, failure: `rewriting reference: ${broken.location} is not a full image reference` };
  }
  return check;
}

/**
 * Decides which blocked scopes can be applied. A scope that contains the release payload's repository is only
 * blocked when the payload can be pulled by digest from a mirror that is not blocked itself.
 *
 * With `failsOpen` it does what machine-config-operator does: every blocked scope is dropped when the trial
 * configuration cannot be built (`failure`). Otherwise mirrors that would fail there are skipped, and the verdict
 * uses the ones that work: no scope is dropped without need.
 */
export function guardRelease(
  input: GuardInput,
  { failsOpen }: Readonly<{ failsOpen: boolean }>,
): GuardVerdict {
  const { payload, blocked } = input;
  const registriesBlocked: ListedScope[] = [];
  const policyBlocked: ListedScope[] = [];
  const dropped: ListedScope[] = [];
  const containing: ListedScope[] = [];
  let check: MirrorCheck | undefined;
  for (const listed of blocked) {
    if (!isNested(payload.repository, listed.scope)) {
      registriesBlocked.push(listed);
      policyBlocked.push(listed);
      continue;
    }
    check ??= checkMirrors(input, failsOpen);
    if (check.failure) {
      return {
        registriesBlocked: [],
        policyBlocked: [],
        dropped: [],
        containing: [],
        failure: check.failure,
      };
    }
    if (!check.hasUnblockedMirror) {
      dropped.push(listed);
      continue;
    }
    registriesBlocked.push(listed);
    containing.push(listed);
    if (listed.scope !== payload.repository) policyBlocked.push(listed);
  }
  return { registriesBlocked, policyBlocked, dropped, containing };
}
