import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { type MirrorRule, neverContactSource } from "../input/rules.ts";
import { hasRealMirror } from "../merge/merge.ts";
import type { Assembled } from "./assembled.ts";
import { type LintFinding, lintFinding } from "./lint-finding.ts";

function ruleWithoutMirrors(rule: MirrorRule): LintFinding {
  const source = goQuote(rule.source);
  const forbids = rule.policy === neverContactSource;
  return lintFinding(rule, "mirrors", rule.mirrors, {
    code: "RuleWithoutMirrors",
    about: `${rule.policy} ${rule.source}`,
    message: forbids
      ? sentence`this rule has no mirror of ${source}, so its ${neverContactSource} has no effect`
      : sentence`this rule has no mirror of ${source} and no effect`,
    remedy: forbids
      ? "Add a mirror, or block the source by spec.registrySources.blockedRegistries of Image/cluster."
      : "Add a mirror, or remove the rule.",
  });
}

/** Finds rules that are dropped before they are merged, together with their policy. */
export function rulesWithoutMirrors({ rules }: Assembled): readonly LintFinding[] {
  return rules.filter((rule) => !hasRealMirror(rule)).map(ruleWithoutMirrors);
}
