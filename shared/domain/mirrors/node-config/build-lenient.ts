import type { ImageReference } from "../../images/image-reference.ts";
import { isRenderableScope } from "../../images/location-patterns.ts";
import { indexScopes } from "../../images/scope.ts";
import type { Issue } from "../../issues/issue.ts";
import type { NodeFile } from "../../machine-config/node-file.ts";
import { validPart } from "../input/left-out-rules.ts";
import { type ListedScope, type ValidatedScopes, validateScopes } from "../input/read-image.ts";
import {
  neededImages,
  type ReleaseImage,
  unreadableReleaseImage,
  withRepositories,
} from "../input/release-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import { validateRules } from "../input/validate-rules.ts";
import { lint } from "../lint/lint.ts";
import { mergeAndKeep, type SortedRules } from "../merge/keep-applied.ts";
import { allGroups, type MergedSources, nestedWildcardIssues } from "../merge/merged-sources.ts";
import { keepPolicies } from "../policies/keep-policies.ts";
import { planPoliciesLenient } from "../policies/plan-lenient.ts";
import { renderPolicyFiles } from "../policies/policy-files.ts";
import { unusableLocation } from "../policies/policy-issues.ts";
import type { ImagePolicies } from "../policies/read-policies.ts";
import { scopePolicies } from "../policies/scoped-policies.ts";
import { type RegistryEntry, scopeOf } from "../registries-conf/registries-conf.ts";
import type { Build, BuildBase, EntryBasis } from "./build.ts";
import { guardLenient } from "./guard-lenient.ts";
import { withBlocked, withBlockedSources } from "./left-out-issues.ts";
import {
  breaksPayload,
  rulesThatBreakPayload,
  unreachablePayload,
  withoutPayloadBreakers,
} from "./payload.ts";
import type { ReadInput } from "./read-input.ts";
import type { GuardVerdict } from "./release-guard.ts";

type Chosen = Readonly<{
  /** The rules that take effect as they are. */
  rules: readonly MirrorRule[];
  /** The valid parts of the others. */
  leftOut: readonly MirrorRule[];
  merged: MergedSources;
  issues: readonly Issue[];
}>;

/** Leaves out mirrors of the payload that would break every pull of it, and keeps what the rest closes. */
function chooseRules(sorted: SortedRules, needed: readonly ImageReference[], base: BuildBase): Chosen {
  const merged = mergeAndKeep(sorted, base.applied);
  const breakers = new Map<MirrorRule, Readonly<{ image: ImageReference; rest: MirrorRule }>>();
  const pulledByDigest = [...merged.digest, ...merged.any];
  for (const image of needed) {
    for (const rule of rulesThatBreakPayload(pulledByDigest, image)) {
      const { rest } = breakers.get(rule) ?? { rest: rule };
      breakers.set(rule, { image, rest: withoutPayloadBreakers(rest, image) });
    }
  }
  if (breakers.size === 0) return { rules: sorted.usable, leftOut: sorted.leftOut, merged, issues: [] };
  const usable = sorted.usable.filter((rule) => !breakers.has(rule));
  const leftOut = [
    ...sorted.leftOut.map((rule) => breakers.get(rule)?.rest ?? rule),
    ...sorted.usable.flatMap((rule) => breakers.get(rule)?.rest ?? []),
  ];
  return {
    rules: usable,
    leftOut,
    merged: mergeAndKeep({ ...sorted, usable, leftOut }, base.applied),
    issues: [...breakers].map(([rule, { image }]) => breaksPayload(rule, image)),
  };
}

/**
 * While an entry cannot be read, every scope that is rejected now stays blocked, as if the entry named it. A scope that
 * only a policy without a usable requirement rejects is not one of the list: within it, policies of their own apply.
 */
function readBlocked({ image, sources, policies }: ReadInput, { applied }: BuildBase): ValidatedScopes {
  const { usable, issues } = validateScopes(image, "blocked", sources.blocked ?? [], "default");
  const first = issues.find(({ severity }) => severity === "error");
  if (!first) return { usable, issues };
  const { rejected, entries } = applied();
  const known = new Set(usable.map(({ scope }) => scope));
  const ofPolicies = new Set(policies.leftOut.flatMap(({ scopes }) => scopes.map(({ scope }) => scope)));
  const blocked = new Set(entries.flatMap((entry) => (entry.blocked ? [scopeOf(entry)] : [])));
  const isOfList = (scope: string) => blocked.has(scope) || !ofPolicies.has(scope);
  const kept = [...rejected].filter(
    (scope) => !known.has(scope) && isOfList(scope) && isRenderableScope(scope),
  );
  return {
    usable: [...usable, ...kept.map((scope) => ({ scope, path: first.path }))],
    issues: issues.map((issue) => (issue === first ? withBlocked(issue, kept) : issue)),
  };
}

/** While it is not known where the release's images are, those that are accepted inside rejected scopes stay so. */
function rememberRelease(
  { release, policies }: ReadInput,
  blocked: readonly ListedScope[],
  { applied }: BuildBase,
): ReleaseImage {
  const closed = [...blocked, ...policies.leftOut.flatMap(({ scopes }) => scopes)];
  if (release.state !== "known" || release.isComplete || closed.length === 0) return release;
  const { rejected, accepted } = applied();
  const kept = indexScopes(closed.flatMap(({ scope }) => (rejected.has(scope) ? [scope] : [])));
  return withRepositories(
    release,
    [...accepted].filter((scope) => kept.covers(scope)),
  );
}

type Validated = Pick<EntryBasis, "insecure" | "blocked"> &
  Readonly<{
    input: ReadInput;
    rules: SortedRules;
    issues: readonly Issue[];
  }>;

/** Separates valid input from the rest. What cannot be read neither opens a blocked scope nor closes the release. */
function validate(read: ReadInput, base: BuildBase): Validated {
  const { image, sources } = read;
  const insecure = validateScopes(image, "insecure", sources.insecure ?? [], "default");
  const blocked = readBlocked(read, base);
  const rules = validateRules(read.rules, "default");
  return {
    input: { ...read, release: rememberRelease(read, blocked.usable, base) },
    insecure: insecure.usable,
    blocked: blocked.usable,
    rules: {
      ...rules,
      leftOut: [...read.leftOut, ...rules.refused].map(validPart),
      base: base.entries,
      insecure: insecure.usable.map(({ scope }) => scope),
      blocked: blocked.usable.map(({ scope }) => scope),
    },
    issues: [...insecure.issues, ...blocked.issues, ...rules.issues],
  };
}

type Rendered = Readonly<{ files: readonly NodeFile[]; issues: readonly Issue[]; isUnsafe: boolean }>;

/** `entries` is undefined when registries.conf is not written. */
function renderPolicies(
  { image, sources, release, form }: ReadInput,
  { cluster, namespaced }: Pick<ImagePolicies, "cluster" | "namespaced">,
  { policyBlocked, containing }: GuardVerdict,
  entries: readonly RegistryEntry[] | undefined,
): Rendered {
  const scoped = scopePolicies(cluster, namespaced);
  const { plan, issues, isUnsafe } = planPoliciesLenient({
    image,
    needed: neededImages(release).map(({ repository }) => repository),
    blocked: policyBlocked,
    containing,
    allowed: sources.allowed ?? [],
    policies: scoped,
  });
  if (!plan) return { files: [], issues, isUnsafe };
  const { files, unusable } = renderPolicyFiles(plan, entries, form);
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
 * machine-config-operator would refuse, blocked scopes that would make the release payload unreachable and cannot exempt
 * it, policies that cannot be read or whose images are rejected anyway. A source whose rules contradict each other keeps the mirrors that were
 * applied last.
 */
export function buildLenient(read: ReadInput, base: BuildBase): Build {
  const { input, rules, insecure, blocked, issues } = validate(read, base);
  const { image, sources, release } = input;
  const needed = neededImages(release);
  const chosen = chooseRules(rules, needed, base);
  const { merged } = chosen;
  const groups = allGroups(merged);
  const policies = [...input.policies.cluster, ...input.policies.namespaced];
  const basis = { base: base.entries, merged, insecure, blocked, policies };
  const guarded = guardLenient(input, basis, base.applied);
  const { scopes, entries, verdict } = guarded;

  const reach = { entries, groups: [...groups, ...merged.closed], image, absent: input.absentImages };
  const unreachable = unreachablePayload(needed, { ...reach, blocked: scopes.blocked }, "error");
  const releaseCheck = checkRelease(input, blocked);
  const writesRegistries =
    input.hasMirrorObjects ||
    sources.insecure !== undefined ||
    scopes.blocked.length > 0 ||
    entries.length > base.entries.length;
  const inForce = keepPolicies(input.policies, {
    release,
    blocked: new Set(rules.blocked),
    applied: () => base.applied().policies,
  });
  const rendered = renderPolicies(input, inForce, verdict, writesRegistries ? entries : undefined);
  const assembled = {
    rules: chosen.rules,
    merged,
    entries,
    image,
    ...scopes,
    rejected: verdict.policyBlocked,
    allowed: sources.allowed ?? [],
    needed,
    publishedRepositories: input.publishedRepositories,
    internalRegistry: input.internalRegistry,
    policies,
  };
  const ofInput = [...inForce.explain(input.issues), ...issues, ...chosen.issues];
  return {
    rules: chosen.rules,
    entries,
    basis: { ...basis, ...scopes },
    writesRegistries,
    policyFiles: rendered.files,
    issues: [
      ...releaseCheck.issues,
      ...withBlockedSources(ofInput, chosen.leftOut, merged),
      ...guarded.issues,
      ...nestedWildcardIssues(guarded.nestedWildcards, groups),
      ...unreachable,
      ...rendered.issues,
      ...lint(assembled, base.reporting),
    ],
    isUnsafe:
      unreachable.length > 0 || releaseCheck.isUnsafe || rendered.isUnsafe || input.hasUnreadableLists,
  };
}
