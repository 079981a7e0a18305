import type { Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { sentence } from "../../text/redact.ts";
import type { ListedScope } from "../input/read-image.ts";
import { type MirrorRule, ruleIssue } from "../input/rules.ts";
import type { RegistryEntry } from "../registries-conf/registries-conf.ts";
import { buildEntries, type Entries, type NestedWildcard } from "./entries.ts";
import { type MergedMirrors, mergeRules } from "./merge.ts";

/** The merged mirrors of every source, by kind of pull. */
export type MergedSources = Readonly<{
  digest: readonly MergedMirrors[];
  tag: readonly MergedMirrors[];
}>;

/** Merges rules; one for both kinds of pulls is merged with those of each, as the two sets that it converts to. */
export function mergeSources(rules: readonly MirrorRule[]): MergedSources {
  return {
    digest: mergeRules(rules.filter(({ pullKind }) => pullKind !== "tag")),
    tag: mergeRules(rules.filter(({ pullKind }) => pullKind !== "digest")),
  };
}

/** Returns all groups in the order in which nested scopes inherit their mirrors. */
export function allGroups({ digest, tag }: MergedSources): readonly MergedMirrors[] {
  return [...digest, ...tag];
}

/** Returns the entries of these sources and scopes, added to those of a base file. */
export function assembleEntries(
  base: readonly RegistryEntry[],
  merged: MergedSources,
  scopes: Readonly<{ insecure: readonly ListedScope[]; blocked: readonly ListedScope[] }>,
): Entries {
  return buildEntries({
    base,
    ...merged,
    insecure: scopes.insecure.map(({ scope }) => scope),
    blocked: scopes.blocked.map(({ scope }) => scope),
  });
}

/**
 * Returns the issues of wildcard sources over scopes without mirrors of their own. machine-config-operator refuses
 * such a configuration as a whole, so they are errors; here the scopes get the wildcard's mirrors as the runtime
 * would apply them. One issue for each rule of the wildcard, in machine-config-operator's order.
 */
export function nestedWildcardIssues(
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
