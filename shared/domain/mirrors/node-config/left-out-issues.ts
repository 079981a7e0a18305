import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { type Issue, issueObject } from "../../issues/issue.ts";
import { someOf } from "../../json/values.ts";
import { displayName } from "../../kubernetes/object.ts";
import { type MirrorRule, rulePath } from "../input/rules.ts";
import type { MergedSources } from "../merge/merged-sources.ts";

/** The field of a rule at the start of a path. */
const ruleAt = /^spec\.[^.[]+\[\d+\]/;

/** Returns the issue of a part that is left out, with what stays blocked all the same. */
export function withBlocked(issue: Issue, scopes: readonly string[]): Issue {
  if (scopes.length === 0) return issue;
  const stay = sentence`${someOf(scopes.map(goQuote))} ${scopes.length === 1 ? "stays" : "stay"} blocked`;
  return { ...issue, message: sentence`${issue.message}; what is left out opens nothing: ${stay}` };
}

/**
 * Adds to the errors of rules that are left out which sources stay blocked all the same: their own and, where a source
 * cannot be read, the applied ones that no rule names.
 */
export function withBlockedSources(
  issues: readonly Issue[],
  leftOut: readonly MirrorRule[],
  { closed }: MergedSources,
): readonly Issue[] {
  if (closed.length === 0) return issues;
  const objectOf = ({ origin }: MirrorRule) => displayName(issueObject(origin.object));
  const byObject = Map.groupBy(leftOut, objectOf);
  const byRule = Map.groupBy(leftOut, (rule) => `${objectOf(rule)} ${rulePath(rule.origin)}`);
  const blocked = new Set(closed.map(({ source }) => source));
  const named = new Set(leftOut.map(({ source }) => source));
  const unnamed = [...blocked].filter((source) => !named.has(source));
  return issues.map((issue) => {
    if (issue.severity !== "error") return issue;
    const object = displayName(issue.object);
    const [rule] = ruleAt.exec(issue.path) ?? [];
    const rules = (rule === undefined ? byObject.get(object) : byRule.get(`${object} ${rule}`)) ?? [];
    const sources = rules.flatMap(({ source }) => (source === "" ? unnamed : source));
    return withBlocked(
      issue,
      [...new Set(sources)].filter((source) => blocked.has(source)),
    );
  });
}
