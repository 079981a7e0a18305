import type { Issue } from "../issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { tryParseRegistriesConf } from "./base-file.ts";
import type { CheckedInput } from "./check.ts";
import { guardIssues } from "./guard-issues.ts";
import type { ImageReference } from "./image-reference.ts";
import { nestedWildcardIssues } from "./nested-wildcards.ts";
import { breaksPayload, isPayloadReachable, rulesThatBreakPayload, unreachablePayload } from "./payload.ts";
import type { ListedScope } from "./read-image.ts";
import type { RegistryEntry } from "./registry-entry.ts";
import { type GuardVerdict, guardRelease } from "./release-guard.ts";
import type { MirrorRule } from "./rules.ts";
import { allGroups, assembleEntries, keepSources, type MergedSources, mergeSources } from "./sources.ts";
import type { Judge } from "./validate.ts";

/** The entries of registries.conf, and what turned up while they were put together. */
export type Draft = Readonly<{
  entries: readonly RegistryEntry[];
  guard: GuardVerdict;
  rules: readonly MirrorRule[];
  issues: readonly Issue[];
  /** Rendering this would cut the nodes off from the release payload: it must not be written. */
  isUnsafe: boolean;
}>;

function previousEntries(previous: string | undefined): readonly RegistryEntry[] {
  const parsed = previous === undefined ? undefined : tryParseRegistriesConf(previous);
  // A file that cannot be read has no state that could be kept; it was never applied either.
  return parsed && "conf" in parsed ? parsed.conf.entries : [];
}

/** Leaves out the rules that make every pull of the payload fail. machine-config-operator does not look. */
function withoutPayloadBreakers(
  checked: CheckedInput,
  judge: Judge,
): Readonly<{ rules: readonly MirrorRule[]; merged: MergedSources; issues: readonly Issue[] }> {
  const { rules, payload } = checked;
  const merged = mergeSources(rules);
  if (!payload || judge === "mco") return { rules, merged, issues: [] };
  const { entries } = assembleEntries([], merged, { insecure: [], blocked: [] });
  const breakers = new Set(rulesThatBreakPayload(entries, allGroups(merged), payload));
  if (breakers.size === 0) return { rules, merged, issues: [] };
  const rest = rules.filter((rule) => !breakers.has(rule));
  return {
    rules: rest,
    merged: mergeSources(rest),
    issues: [...breakers].map((rule) => breaksPayload(rule, payload)),
  };
}

function guard(
  { payload, insecure, blocked }: CheckedInput,
  merged: MergedSources,
  judge: Judge,
): GuardVerdict {
  if (!payload) return { registriesBlocked: blocked, policyBlocked: blocked, dropped: [], containing: [] };
  const digest = judge === "mco" ? merged.digest : [...merged.digest, ...merged.any];
  return guardRelease({ payload, digest, insecure, blocked }, judge === "mco");
}

function payloadIssues(
  entries: readonly RegistryEntry[],
  payload: ImageReference | undefined,
  merged: MergedSources,
  judge: Judge,
): readonly Issue[] {
  if (!payload || isPayloadReachable(entries, payload)) return [];
  return unreachablePayload(entries, allGroups(merged), payload, judge === "mco" ? "warning" : "error");
}

/**
 * Merges the usable rules and puts the entries together, in the order of machine-config-operator: the guard of
 * the release payload first, for it decides what may be blocked.
 */
export function draftEntries(
  checked: CheckedInput,
  {
    base,
    previous,
    image,
    judge,
  }: Readonly<{
    base: readonly RegistryEntry[];
    previous: string | undefined;
    image: KubernetesObject | undefined;
    judge: Judge;
  }>,
): Draft {
  const { payload, conflictingSources, insecure, blocked } = checked;
  const chosen = withoutPayloadBreakers(checked, judge);
  const merged =
    conflictingSources.size > 0
      ? keepSources(chosen.merged, conflictingSources, previousEntries(previous))
      : chosen.merged;

  const verdict = guard(checked, merged, judge);
  const guarded = payload && image ? guardIssues(verdict, { image, blocked, payload, judge }) : [];
  const scopes: { insecure: readonly ListedScope[]; blocked: readonly ListedScope[] } = {
    insecure,
    blocked: verdict.registriesBlocked,
  };
  const { entries, nestedWildcards } = assembleEntries(base, merged, scopes);
  const unreachable = payloadIssues(entries, payload, merged, judge);
  return {
    entries,
    guard: verdict,
    rules: chosen.rules,
    issues: [
      ...chosen.issues,
      ...guarded,
      ...nestedWildcardIssues(nestedWildcards, allGroups(merged)),
      ...unreachable,
    ],
    isUnsafe: checked.isPayloadUnknown || (judge !== "mco" && unreachable.length > 0),
  };
}
