import type { ImageReference } from "../../images/image-reference.ts";
import { hasErrors, type Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import type { NodeFile } from "../../openshift/machine-config/node-file.ts";
import { sentence } from "../../text/redact.ts";
import { type ListedScope, validateScopes } from "../input/read-image.ts";
import { neededImages, unreadableReleaseImage } from "../input/release-repositories.ts";
import { type MirrorRule, ruleIssue } from "../input/rules.ts";
import { type Refusing, validateRules } from "../input/validate-rules.ts";
import { lint } from "../lint/lint.ts";
import {
  allGroups,
  buildEntries,
  type MergedMirrors,
  type MergedSources,
  mergeRules,
  mergeSources,
  type NestedWildcard,
} from "../merge/merge.ts";
import { planPolicies, scopePolicies } from "../policies/plan-policies.ts";
import { renderPolicyFiles } from "../policies/policy-files.ts";
import { unloadableRegistries, unusableLocation } from "../policies/policy-issues.ts";
import type { ImagePolicy } from "../policies/read-policies.ts";
import { loadFailure } from "../registries-conf/load-failure.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";
import {
  blocking,
  breaksPayload,
  type GuardVerdict,
  guardIssues,
  guardRelease,
  rulesThatBreakPayload,
  unreachablePayload,
} from "./payload.ts";
import type { ReadInput } from "./read-input.ts";

/** The inputs from which the files are built. */
export type EntryBasis = Readonly<{
  merged: MergedSources;
  insecure: readonly ListedScope[];
  blocked: readonly ListedScope[];
  policies: readonly ImagePolicy[];
}>;

/** A configuration that is not yet rendered to files. For invalid input it has only the valid parts. */
export type Build = Readonly<{
  rules: readonly MirrorRule[];
  entries: readonly RegistryEntry[];
  basis: EntryBasis;
  /** True if registries.conf is written. If it is not, nodes keep the file of machine-config-operator's template. */
  writesRegistries: boolean;
  policyFiles: readonly NodeFile[];
  /** The first error is the error at which machine-config-operator stops. */
  issues: readonly Issue[];
}>;

type Guarded = Readonly<{ verdict: GuardVerdict; issues: readonly Issue[] }>;

/** Rules and scopes that validation refuses later count too. */
function guard({ rules, image, sources, release }: ReadInput): Guarded {
  const blocked = sources.blocked ?? [];
  if (!image || release.state === "absent") return { verdict: blocking(blocked), issues: [] };
  if (release.state === "unreadable") {
    return { verdict: blocking(blocked), issues: [unreadableReleaseImage(release.value)] };
  }
  const { payload } = release;
  const digest = () => mergeRules(rules.filter(({ pullKind }) => pullKind !== "tag"));
  const verdict = guardRelease({ payload, digest, insecure: sources.insecure ?? [], blocked });
  return { verdict, issues: guardIssues(verdict, image, blocked, payload) };
}

const listedIn = ({ insecure = [], blocked = [] }: ReadInput["sources"]) => [...insecure, ...blocked];

type Rendered = Readonly<{ files: readonly NodeFile[]; issues: readonly Issue[] }>;

function renderPolicies(
  { image, sources, release, policies, form }: ReadInput,
  { policyBlocked, containing, failure }: GuardVerdict,
  entries: readonly RegistryEntry[] | undefined,
  refusing: Refusing,
): Rendered {
  const payload = release.state === "known" ? release.payload.repository : undefined;
  const skipped = form.skipsPayloadScopes ? payload : undefined;
  const scoped = scopePolicies(policies.cluster, policies.namespaced, skipped);
  const { plan, issues } = planPolicies({
    image,
    payload,
    needed: neededImages(release).map(({ repository }) => repository),
    blocked: policyBlocked,
    // If the guard has a failure, machine-config-operator drops the allowed scopes too.
    allowed: failure === undefined ? (sources.allowed ?? []) : [],
    containing,
    policies: scoped,
    refusing,
  });
  if (!plan) return { files: [], issues };
  // The operator loads registries.conf only in releases that list the mirrors of policy scopes in registries.d.
  const isLoaded = form.namesMirrorsOfScopes && plan.policyScopes.length > 0;
  const reason = entries && isLoaded ? loadFailure({ entries }) : undefined;
  if (reason !== undefined)
    return { files: [], issues: [...issues, unloadableRegistries(reason, image, listedIn(sources))] };
  const { files, unusable } = renderPolicyFiles(plan, entries, form);
  return { files, issues: [...issues, ...unusable.map((found) => unusableLocation(found, scoped))] };
}

/** machine-config-operator does not detect release images that no node could pull. */
function payloadIssues(
  needed: readonly ImageReference[],
  merged: MergedSources,
  reach: Omit<Parameters<typeof unreachablePayload>[1], "groups">,
  refusing: Refusing,
): readonly Issue[] {
  const severity = refusing === "operator" ? "warning" : "error";
  const breakers = needed.map((image) => ({ image, rules: rulesThatBreakPayload(merged.digest, image) }));
  const others = breakers.flatMap(({ image, rules }) => (rules.length > 0 ? [] : [image]));
  return [
    ...breakers.flatMap(({ image, rules }) => rules.map((rule) => breaksPayload(rule, image, severity))),
    ...unreachablePayload(others, { ...reach, groups: allGroups(merged) }, severity),
  ];
}

function nestedWildcardIssues(
  nested: readonly NestedWildcard[],
  groups: readonly MergedMirrors[],
): readonly Issue[] {
  const scopesOf = Map.groupBy(nested, ({ source }) => source);
  return [...scopesOf].flatMap(([source, found]) => {
    const scopes = found.map(({ scope }) => scope).join(", ");
    const rules = groups.filter((group) => group.source === source).flatMap((group) => group.rules);
    return rules.map((rule) =>
      ruleIssue(rule, "source", source, {
        code: "WildcardSourceNested",
        message: sentence`internal error: mirrorsAdjustedForNestedScope for a wildcard scope ${goQuote(source)}: it covers ${scopes}, blocked or insecure, without mirrors of its own`,
        remedy: sentence`Give ${scopes} mirrors of its own, replace the wildcard with the intended hosts, or change the blocked and insecure lists of Image/cluster.`,
      }),
    );
  });
}

/**
 * Builds a configuration as machine-config-operator does, with the same order of checks. Problems that the operator
 * does not detect are warnings, or errors if the API server or a node refuses the input and `refusing` is `anyone`.
 */
export function build(input: ReadInput, refusing: Refusing): Build {
  const { image, sources, release, absentImages: absent } = input;
  const { verdict, issues: guarded } = guard(input);
  const insecure = validateScopes(image, "insecure", sources.insecure ?? [], refusing);
  const blocked = validateScopes(image, "blocked", verdict.registriesBlocked, refusing);
  const validated = validateRules(input.rules, refusing);
  const merged = mergeSources(validated.usable);
  const groups = allGroups(merged);
  const scopes = { insecure: insecure.usable, blocked: blocked.usable };
  const { entries, nestedWildcards } = buildEntries({
    ...merged,
    insecure: scopes.insecure.map(({ scope }) => scope),
    blocked: scopes.blocked.map(({ scope }) => scope),
  });
  const needed = neededImages(release);
  const ofPayload = payloadIssues(
    needed,
    merged,
    { entries, image, blocked: scopes.blocked, absent },
    refusing,
  );
  const writesRegistries =
    input.hasMirrorObjects || sources.insecure !== undefined || verdict.registriesBlocked.length > 0;
  const policies = renderPolicies(input, verdict, writesRegistries ? entries : undefined, refusing);
  // An image that nodes can pull from no location is not reported as rejected too.
  const isKnown = ({ code, path }: Issue) =>
    code === "PayloadRejected" && ofPayload.some((other) => other.path === path);
  // A refused source may have mirrors of its own once its rule is corrected.
  const isRefused = (scope: string) => validated.refused.some(({ source }) => source === scope);
  const nested = nestedWildcards.filter(({ scope }) => !isRefused(scope));
  const ofOperator = [
    ...guarded,
    ...input.issues,
    ...insecure.issues,
    ...blocked.issues,
    ...validated.issues,
    ...nestedWildcardIssues(nested, groups),
    ...ofPayload,
    ...policies.issues.filter((issue) => !isKnown(issue)),
  ];
  const failure = refusing === "anyone" && !hasErrors(ofOperator) ? loadFailure({ entries }) : undefined;
  const ofPolicies = [...input.policies.cluster, ...input.policies.namespaced];
  const basis = { merged, ...scopes, policies: ofPolicies };
  return {
    rules: validated.usable,
    entries,
    basis,
    writesRegistries,
    policyFiles: policies.files,
    issues: [
      ...ofOperator,
      ...(failure === undefined ? [] : [unloadableRegistries(failure, image, listedIn(sources))]),
      ...lint({
        ...basis,
        rules: validated.usable,
        entries,
        image,
        rejected: verdict.policyBlocked,
        allowed: sources.allowed ?? [],
        needed,
        publishedRepositories: input.publishedRepositories,
        internalRegistry: input.internalRegistry,
      }),
    ],
  };
}
