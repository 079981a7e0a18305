import { hasErrors, type Issue } from "../../issues/issue.ts";
import type { NodeFile } from "../../machine-config/node-file.ts";
import { validateScopes } from "../input/read-image.ts";
import { neededImages, unreadableReleaseImage } from "../input/release-image.ts";
import { validateRules } from "../input/validate-rules.ts";
import { mergeRules } from "../merge/merge.ts";
import { allGroups, assembleEntries, mergeSources, nestedWildcardIssues } from "../merge/merged-sources.ts";
import { planPoliciesMcoCompat } from "../policies/plan-mco-compat.ts";
import { renderPolicyFiles } from "../policies/policy-files.ts";
import { unloadableRegistries, unusableLocation } from "../policies/policy-issues.ts";
import { scopePolicies } from "../policies/scoped-policies.ts";
import { loadFailure } from "../registries-conf/load-failure.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";
import type { Build, BuildBase } from "./build.ts";
import { unreachablePayload } from "./payload.ts";
import type { ReadInput } from "./read-input.ts";
import { blocking, type GuardVerdict, guardIssues, guardRelease } from "./release-guard.ts";

type Guarded = Readonly<{ verdict: GuardVerdict; issues: readonly Issue[] }>;

/** The guard runs before all validation: it reads rules and scopes that are refused later. */
function guard({ rules, image, sources, release }: ReadInput): Guarded {
  const blocked = sources.blocked ?? [];
  if (!image || release.state === "absent") return { verdict: blocking(blocked), issues: [] };
  if (release.state === "unreadable") {
    return { verdict: blocking(blocked), issues: [unreadableReleaseImage(release.value, "error")] };
  }
  const { payload } = release;
  const digest = () => mergeRules(rules.filter(({ pullKind }) => pullKind === "digest"));
  const verdict = guardRelease(
    { needed: [payload], digest, insecure: sources.insecure ?? [], blocked },
    { failsOpen: true },
  );
  return { verdict, issues: guardIssues(verdict, image, blocked, "warning") };
}

type Rendered = Readonly<{ files: readonly NodeFile[]; issues: readonly Issue[] }>;

/** `entries` is undefined when registries.conf is not written. */
function renderPolicies(
  { image, sources, release, policies, form }: ReadInput,
  { policyBlocked, containing, failure }: GuardVerdict,
  entries: readonly RegistryEntry[] | undefined,
): Rendered {
  const payload = release.state === "known" ? release.payload.repository : undefined;
  const skipped = form.skipsPayloadScopes ? payload : undefined;
  const scoped = scopePolicies(policies.cluster, policies.namespaced, skipped);
  const { plan, issues } = planPoliciesMcoCompat({
    image,
    payload,
    needed: neededImages(release).map(({ repository }) => repository),
    blocked: policyBlocked,
    // When the guard fails, machine-config-operator loses the allowed scopes too.
    allowed: failure === undefined ? (sources.allowed ?? []) : [],
    containing,
    policies: scoped,
  });
  if (!plan) return { files: [], issues };
  // Only an operator that looks for the mirrors of scopes loads registries.conf.
  const isLoaded = form.namesMirrorsOfScopes && plan.policyScopes.length > 0;
  const reason = entries && isLoaded ? loadFailure({ entries }) : undefined;
  if (reason !== undefined) return { files: [], issues: [...issues, unloadableRegistries(reason)] };
  const { files, unusable } = renderPolicyFiles(plan, entries, form);
  return { files, issues: [...issues, ...unusable.map((found) => unusableLocation(found, scoped, "error"))] };
}

/**
 * Builds a configuration as machine-config-operator does, with its order of checks: it fails with the first error
 * of `issues`. What it does not detect is a warning.
 */
export function buildMcoCompat(input: ReadInput, base: BuildBase): Build {
  const { image, sources, release } = input;
  const { verdict, issues: guarded } = guard(input);
  const insecure = validateScopes(image, "insecure", sources.insecure ?? [], "mco");
  const blocked = validateScopes(image, "blocked", verdict.registriesBlocked, "mco");
  const validated = validateRules(input.rules, "mco");
  const issues = [...guarded, ...input.issues, ...insecure.issues, ...blocked.issues, ...validated.issues];
  const refused = {
    rules: [],
    entries: [],
    basis: undefined,
    writesRegistries: false,
    policyFiles: [],
    issues,
    isUnsafe: false,
  };
  if (hasErrors(issues)) return refused;

  const merged = mergeSources(validated.usable);
  const groups = allGroups(merged);
  const scopes = { insecure: insecure.usable, blocked: blocked.usable };
  const { entries, nestedWildcards } = assembleEntries(base.entries, merged, scopes);
  const unreachable = unreachablePayload(
    neededImages(release),
    { entries, groups, image, blocked: scopes.blocked },
    "warning",
  );
  const writesRegistries =
    input.hasMirrorObjects || sources.insecure !== undefined || verdict.registriesBlocked.length > 0;
  const policies = renderPolicies(input, verdict, writesRegistries ? entries : undefined);
  // What cannot be pulled from anywhere need not be reported as rejected too.
  const isKnown = ({ code, path }: Issue) =>
    code === "PayloadRejected" && unreachable.some((other) => other.path === path);
  const ofPolicies = policies.issues.filter((issue) => !isKnown(issue));
  return {
    rules: validated.usable,
    entries,
    basis: {
      base: base.entries,
      merged,
      ...scopes,
      policies: [...input.policies.cluster, ...input.policies.namespaced],
    },
    writesRegistries,
    policyFiles: policies.files,
    issues: [...issues, ...nestedWildcardIssues(nestedWildcards, groups), ...unreachable, ...ofPolicies],
    isUnsafe: false,
  };
}
