import type { Issue } from "../../issues/issue.ts";
import { type MirrorRule, ruleIssue, ruleName } from "./rules.ts";

/**
 * Returns a warning for each mirror that an earlier rule of the source has for the same pulls: merged, it is there
 * once.
 */
export function repeatedPairs(rules: readonly MirrorRule[]): readonly Issue[] {
  const firsts = new Map<string, MirrorRule>();
  return rules.flatMap((rule) =>
    [...new Set(rule.mirrors)].flatMap((mirror): Issue[] => {
      const key = [rule.pullKind, rule.source, mirror].join(" ");
      const first = firsts.get(key);
      firsts.set(key, first ?? rule);
      if (!first || mirror === rule.source) return [];
      return [
        ruleIssue(rule, `mirrors[${rule.mirrors.indexOf(mirror)}]`, mirror, {
          code: "RepeatedPair",
          severity: "warning",
          message: `${ruleName(first)} has this mirror for the same source already`,
          remedy: "Nothing is lost; remove one of them to keep the rules readable.",
        }),
      ];
    }),
  );
}
