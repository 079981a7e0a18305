import type { ImageReference } from "../../images/image-reference.ts";
import type { Issue } from "../../issues/issue.ts";
import type { NodeFile } from "../../machine-config/node-file.ts";
import type { ListedScope } from "../input/read-image.ts";
import { neededImages, unreadableReleaseImage } from "../input/release-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import { validateRules } from "../input/validate-rules.ts";
import { validateScopes } from "../input/validate-scopes.ts";
import { lint } from "../lint/lint.ts";
import { nestedWildcardIssues } from "../merge/nested-wildcards.ts";
import {
  allGroups,
  assembleEntries,
  keepSources,
  type MergedSources,
  mergeSources,
} from "../merge/sources.ts";
import { planPoliciesLenient } from "../policies/plan-lenient.ts";
import { renderPolicyFiles } from "../policies/policy-files.ts";
import { unusableLocation } from "../policies/policy-issues.ts";
import { scopePolicies } from "../policies/scoped-policies.ts";
import type { RegistryEntry } from "../registries-conf/registry-entry.ts";
import type { Build, BuildBase } from "./build.ts";
import { guardIssues } from "./guard-issues.ts";
import { breaksPayload, rulesThatBreakPayload, unreachablePayload } from "./payload.ts";
import type { ReadInput } from "./read-input.ts";
import { type GuardVerdict, guardRelease } from "./release-guard.ts";

type Chosen = Readonly<{ rules: readonly MirrorRule[]; merged: MergedSources; issues: readonly Issue[] }>;

function withoutPayloadBreakers(rules: readonly MirrorRule[], needed: readonly ImageReference[]): Chosen {
  const merged = mergeSources(rules);
  const pulledByDigest = [...merged.digest, ...merged.any];
  const breakers = new Map(
    needed.flatMap((image) =>
      rulesThatBreakPayload(pulledByDigest, image).map((rule) => [rule, image] as const),
    ),
  );
  if (breakers.size === 0) return { rules, merged, issues: [] };
  const rest = rules.filter((rule) => !breakers.has(rule));
  const issues = [...breakers].map(([rule, image]) => breaksPayload(rule, image));
  return { rules: rest, merged: mergeSources(rest), issues };
}

type Guarded = Readonly<{ verdict: GuardVerdict; issues: readonly Issue[] }>;

function guard(
  { image, release, absentImages: absent }: ReadInput,
  merged: MergedSources,
  insecure: readonly ListedScope[],
  blocked: readonly ListedScope[],
): Guarded {
  if (!image || release.state !== "known") {
    const verdict = { registriesBlocked: blocked, policyBlocked: blocked, dropped: [], containing: [] };
    return { verdict, issues: [] };
  }
  const { needed } = release;
  const digest = () => [...merged.digest, ...merged.any];
  const verdict = guardRelease({ needed, absent, digest, insecure, blocked }, { failsOpen: false });
  return { verdict, issues: guardIssues(verdict, { image, blocked, severity: "error" }) };
}

type Rendered = Readonly<{ files: readonly NodeFile[]; issues: readonly Issue[]; isUnsafe: boolean }>;

/** `entries` is undefined when registries.conf is not written. */
function renderPolicies(
  { image, sources, release, policies }: ReadInput,
  { policyBlocked, containing }: GuardVerdict,
  entries: readonly RegistryEntry[] | undefined,
): Rendered {
  const scoped = scopePolicies(policies.cluster, policies.namespaced);
  const { plan, issues, isUnsafe } = planPoliciesLenient({
    image,
    needed: neededImages(release).map(({ repository }) => repository),
    blocked: policyBlocked,
    containing,
    allowed: sources.allowed ?? [],
    policies: scoped,
  });
  if (!plan) return { files: [], issues, isUnsafe };
  const { files, unusable } = renderPolicyFiles(plan, entries);
  const scopeIssues = unusable.map((found) => unusableLocation(found, scoped, "warning"));
  return { files, issues: [...issues, ...scopeIssues], isUnsafe };
}

type Release = Readonly<{ issues: readonly Issue[]; isUnsafe: boolean }>;

/** Blocking scopes without knowing the payload's location would risk the whole cluster. */
function checkRelease({ image, release }: ReadInput, blocked: readonly ListedScope[]): Release {
  if (!image || release.state !== "unreadable") return { issues: [], isUnsafe: false };
  const isUnsafe = blocked.length > 0;
  return { issues: [unreadableReleaseImage(release.value, isUnsafe ? "error" : "warning")], isUnsafe };
}

/**
 * Builds a configuration and leaves out what is invalid, each with an error: rules that the API server or
 * machine-config-operator would refuse, blocked scopes that would make the release payload unreachable, policies
 * for images that are rejected anyway. A source whose rules contradict each other keeps the mirrors that were
 * applied last.
 */
export function buildLenient(input: ReadInput, base: BuildBase): Build {
  const { image, sources, release } = input;
  const insecure = validateScopes(image, "insecure", sources.insecure ?? [], "default");
  const blocked = validateScopes(image, "blocked", sources.blocked ?? [], "default");
  const validated = validateRules(input.rules, "default");

  const needed = neededImages(release);
  const chosen = withoutPayloadBreakers(validated.usable, needed);
  const merged = keepSources(chosen.merged, validated.conflictingSources, base.previous);
  const groups = allGroups(merged);
  const guarded = guard(input, merged, insecure.usable, blocked.usable);
  const scopes = { insecure: insecure.usable, blocked: guarded.verdict.registriesBlocked };
  const { entries, nestedWildcards } = assembleEntries(base.entries, merged, scopes);

  const unreachable = unreachablePayload(
    needed,
    { entries, groups, image, blocked: scopes.blocked, absent: input.absentImages },
    "error",
  );
  const releaseCheck = checkRelease(input, blocked.usable);
  const writesRegistries =
    input.hasMirrorObjects || sources.insecure !== undefined || scopes.blocked.length > 0;
  const policies = renderPolicies(input, guarded.verdict, writesRegistries ? entries : undefined);
  const findings = lint({
    rules: chosen.rules,
    merged,
    entries,
    image,
    ...scopes,
    rejected: guarded.verdict.policyBlocked,
    allowed: sources.allowed ?? [],
    needed,
    internalRegistry: input.internalRegistry,
    policies: [...input.policies.cluster, ...input.policies.namespaced],
  });
  return {
    rules: chosen.rules,
    entries,
    basis: { base: base.entries, merged, ...scopes },
    writesRegistries,
    policyFiles: policies.files,
    issues: [
      ...releaseCheck.issues,
      ...input.issues,
      ...insecure.issues,
      ...blocked.issues,
      ...validated.issues,
      ...chosen.issues,
      ...guarded.issues,
      ...nestedWildcardIssues(nestedWildcards, groups),
      ...unreachable,
      ...policies.issues,
      ...findings,
    ],
    isUnsafe:
      unreachable.length > 0 || releaseCheck.isUnsafe || policies.isUnsafe || input.policies.hasUnusable,
  };
}
