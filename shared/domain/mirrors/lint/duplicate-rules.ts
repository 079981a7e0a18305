import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { displayName, referenceTo } from "../../kubernetes/object.ts";
import { type MirrorRule, ruleName } from "../input/rules.ts";
import { allGroups } from "../merge/sources.ts";
import type { Assembled } from "./assembled.ts";
import { type LintFinding, lintFinding } from "./lint-finding.ts";

function duplicateRule(rule: MirrorRule, first: MirrorRule): LintFinding {
  return lintFinding(
    rule,
    "",
    { source: rule.source, mirrors: rule.mirrors },
    {
      code: "DuplicateRule",
      about: displayName(referenceTo(first.origin.object)),
      message: sentence`the same mirrors of ${goQuote(rule.source)} are in ${ruleName(first)}`,
      remedy: "Remove one of the two rules; the rendered file stays the same.",
    },
  );
}

function duplicatesAmong(rules: readonly MirrorRule[]): readonly LintFinding[] {
  const firsts = new Map<string, MirrorRule>();
  return rules.flatMap((rule) => {
    // Compared within one kind: a repetition in an older kind is reported with that kind's deprecation.
    const key = [rule.origin.object.kind, ...rule.mirrors].join(" ");
    const first = firsts.get(key);
    if (first) return duplicateRule(rule, first);
    firsts.set(key, rule);
    return [];
  });
}

/** Finds rules of one source, in one kind of object, with the same mirrors: merged, they have no effect. */
export function duplicateRules({ merged }: Assembled): readonly LintFinding[] {
  return allGroups(merged).flatMap(({ rules }) => (rules.length > 1 ? duplicatesAmong(rules) : []));
}
