import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import type { Issue } from "../../issues/issue.ts";
import { ruleIssue } from "../input/rules.ts";
import type { NestedWildcard } from "./entries.ts";
import type { MergedMirrors } from "./merge.ts";

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
