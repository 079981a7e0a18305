import { hasErrors, type Issue } from "../issue.ts";
import type { Draft, DraftBase } from "./draft.ts";
import { guardIssues } from "./guard-issues.ts";
import { mergeRules } from "./merge.ts";
import { nestedWildcardIssues } from "./nested-wildcards.ts";
import { isPayloadReachable, unreachablePayload } from "./payload.ts";
import type { ListedScope } from "./read-image.ts";
import type { ReadInput } from "./read-input.ts";
import { guardRelease } from "./release-guard.ts";
import { unreadableReleaseImage } from "./release-image.ts";
import { allGroups, assembleEntries, mergeSources } from "./sources.ts";
import { validateRules } from "./validate.ts";
import { validateScopes } from "./validate-scopes.ts";

type Guarded = Readonly<{ registriesBlocked: readonly ListedScope[]; issues: readonly Issue[] }>;

/** The guard comes before all validation: it looks at rules and scopes that are refused later. */
function guard({ rules, image, sources, release }: ReadInput): Guarded {
  const blocked = sources.blocked ?? [];
  if (!image || release.state === "absent") return { registriesBlocked: blocked, issues: [] };
  if (release.state === "unreadable") {
    return { registriesBlocked: blocked, issues: [unreadableReleaseImage(release.value, "error")] };
  }
  const { payload } = release;
  const digest = () => mergeRules(rules.filter(({ pullKind }) => pullKind === "digest"));
  const verdict = guardRelease(
    { payload, digest, insecure: sources.insecure ?? [], blocked },
    { failsOpen: true },
  );
  const issues = guardIssues(verdict, { image, blocked, payload, severity: "warning" });
  return { registriesBlocked: verdict.registriesBlocked, issues };
}

/**
 * Puts the entries together as machine-config-operator does, with its order of checks: of the errors in
 * `issues` the first is the one that it fails with. What it does not notice is a warning.
 */
export function draftLikeMco(input: ReadInput, base: DraftBase): Draft {
  const { image, sources, release } = input;
  const { registriesBlocked, issues: guarded } = guard(input);
  const insecure = validateScopes(image, "insecure", sources.insecure ?? [], "mco");
  const blocked = validateScopes(image, "blocked", registriesBlocked, "mco");
  const validated = validateRules(input.rules, "mco");
  const issues = [...guarded, ...input.issues, ...insecure.issues, ...blocked.issues, ...validated.issues];
  const refused = { rules: [], entries: [], hasBlockedScopes: false, issues, isUnsafe: false };
  if (hasErrors(issues)) return refused;

  const merged = mergeSources(validated.usable);
  const scopes = { insecure: insecure.usable, blocked: blocked.usable };
  const { entries, nestedWildcards } = assembleEntries(base.entries, merged, scopes);
  const groups = allGroups(merged);
  const unreachable =
    release.state === "known" && !isPayloadReachable(entries, release.payload)
      ? unreachablePayload(entries, groups, release.payload, "warning")
      : [];
  return {
    rules: validated.usable,
    entries,
    hasBlockedScopes: registriesBlocked.length > 0,
    issues: [...issues, ...nestedWildcardIssues(nestedWildcards, groups), ...unreachable],
    isUnsafe: false,
  };
}
