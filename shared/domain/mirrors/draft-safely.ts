import type { Issue } from "../issue.ts";
import type { Draft, DraftBase } from "./draft.ts";
import { guardIssues } from "./guard-issues.ts";
import type { ImageReference } from "./image-reference.ts";
import { nestedWildcardIssues } from "./nested-wildcards.ts";
import { breaksPayload, isPayloadReachable, rulesThatBreakPayload, unreachablePayload } from "./payload.ts";
import type { ListedScope } from "./read-image.ts";
import type { ReadInput } from "./read-input.ts";
import { guardRelease } from "./release-guard.ts";
import { unreadableReleaseImage } from "./release-image.ts";
import type { MirrorRule } from "./rules.ts";
import { allGroups, assembleEntries, keepSources, type MergedSources, mergeSources } from "./sources.ts";
import { validateRules } from "./validate.ts";
import { validateScopes } from "./validate-scopes.ts";

type Chosen = Readonly<{ rules: readonly MirrorRule[]; merged: MergedSources; issues: readonly Issue[] }>;

/** Leaves out the rules that make every pull of the payload fail. */
function withoutPayloadBreakers(rules: readonly MirrorRule[], payload: ImageReference | undefined): Chosen {
  const merged = mergeSources(rules);
  if (!payload) return { rules, merged, issues: [] };
  const pulledByDigest = [...merged.digest, ...merged.any];
  const breakers = new Set(rulesThatBreakPayload(pulledByDigest, payload));
  if (breakers.size === 0) return { rules, merged, issues: [] };
  const rest = rules.filter((rule) => !breakers.has(rule));
  const issues = [...breakers].map((rule) => breaksPayload(rule, payload));
  return { rules: rest, merged: mergeSources(rest), issues };
}

type Guarded = Readonly<{ registriesBlocked: readonly ListedScope[]; issues: readonly Issue[] }>;

function guard(
  { image, release }: ReadInput,
  merged: MergedSources,
  insecure: readonly ListedScope[],
  blocked: readonly ListedScope[],
): Guarded {
  if (!image || release.state !== "known") return { registriesBlocked: blocked, issues: [] };
  const { payload } = release;
  const digest = () => [...merged.digest, ...merged.any];
  const verdict = guardRelease({ payload, digest, insecure, blocked }, { failsOpen: false });
  const issues = guardIssues(verdict, { image, blocked, payload, severity: "error" });
  return { registriesBlocked: verdict.registriesBlocked, issues };
}

/**
 * Puts the entries together and leaves out what is wrong, each with an error: rules that the API server or
 * machine-config-operator would refuse, blocked scopes that would take the release payload away. A source whose
 * rules contradict each other keeps what was applied last.
 */
export function draftSafely(input: ReadInput, base: DraftBase): Draft {
  const { image, sources, release } = input;
  const insecure = validateScopes(image, "insecure", sources.insecure ?? [], "default");
  const blocked = validateScopes(image, "blocked", sources.blocked ?? [], "default");
  const validated = validateRules(input.rules, "default");

  const payload = release.state === "known" ? release.payload : undefined;
  const chosen = withoutPayloadBreakers(validated.usable, payload);
  const merged = keepSources(chosen.merged, validated.conflictingSources, base.previous);
  const guarded = guard(input, merged, insecure.usable, blocked.usable);
  const scopes = { insecure: insecure.usable, blocked: guarded.registriesBlocked };
  const { entries, nestedWildcards } = assembleEntries(base.entries, merged, scopes);

  const isUnreachable = payload !== undefined && !isPayloadReachable(entries, payload);
  // To block anything without knowing where the payload comes from is a gamble with the whole cluster.
  const isUnknown = release.state === "unreadable" && blocked.usable.length > 0;
  const releaseIssues =
    release.state === "unreadable" && image
      ? [unreadableReleaseImage(release.value, isUnknown ? "error" : "warning")]
      : [];
  return {
    rules: chosen.rules,
    entries,
    hasBlockedScopes: guarded.registriesBlocked.length > 0,
    issues: [
      ...releaseIssues,
      ...input.issues,
      ...insecure.issues,
      ...blocked.issues,
      ...validated.issues,
      ...chosen.issues,
      ...guarded.issues,
      ...nestedWildcardIssues(nestedWildcards, allGroups(merged)),
      ...(isUnreachable ? unreachablePayload(entries, allGroups(merged), payload, "error") : []),
    ],
    isUnsafe: isUnreachable || isUnknown,
  };
}
