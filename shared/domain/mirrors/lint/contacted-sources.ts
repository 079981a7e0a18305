import { ScopeIndex } from "../../images/scope.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { isRecord, ownValue } from "../../kubernetes/json/values.ts";
import { sentence } from "../../text/redact.ts";
import { type MirrorRule, neverContactSource } from "../input/rules.ts";
import { allGroups } from "../merge/merged-sources.ts";
import { scopeOf } from "../registries-conf/registries-conf.ts";
import { type Assembled, type LintFinding, lintFinding, scopeFinding } from "./lint-finding.ts";

const code = "NeverContactSourceNotInherited";

function message(scope: string, outer: string): string {
  return sentence`${goQuote(scope)} may be contacted: ${neverContactSource} of ${goQuote(outer)} does not apply to it`;
}

/** An explicit policy is intended. */
function leavesPolicyOpen({ origin: { object, list, index } }: MirrorRule): boolean {
  const rules = isRecord(object.spec) ? ownValue(object.spec, list) : undefined;
  const written: unknown = Array.isArray(rules) ? rules[index] : undefined;
  return isRecord(written) && !written.mirrorSourcePolicy;
}

/**
 * Finds scopes inside a source that must not be contacted whose own entries do not forbid it: rules without a
 * policy, and insecure scopes.
 */
export function contactedSources({ merged, entries, image, insecure }: Assembled): readonly LintFinding[] {
  const groups = allGroups(merged);
  const forbidden = new Map(
    groups.filter(({ neverContact }) => neverContact).map(({ source }) => [source, source]),
  );
  if (forbidden.size === 0) return [];
  const index = new ScopeIndex(forbidden);
  const open = new Set(entries.filter(({ blocked }) => !blocked).map(scopeOf));
  const outerOf = (scope: string) => (open.has(scope) ? index.enclosing(scope)[0] : undefined);

  const sources = new Set(groups.map(({ source }) => source));
  const inRules = groups.flatMap(({ source, rules }): LintFinding[] => {
    const rule = rules.find(leavesPolicyOpen);
    const outer = rule && outerOf(source);
    if (!rule || outer === undefined) return [];
    return [
      lintFinding(rule, "source", source, {
        code,
        about: outer,
        message: message(source, outer),
        remedy: sentence`Give every rule of ${source} a mirrorSourcePolicy: ${neverContactSource}, or AllowContactingSource if that is intended.`,
      }),
    ];
  });
  const inList = (image ? insecure : []).flatMap((listed): LintFinding[] => {
    const { scope } = listed;
    const outer = sources.has(scope) ? undefined : outerOf(scope);
    if (!image || outer === undefined) return [];
    return [
      scopeFinding(image, listed, {
        code,
        about: outer,
        message: message(scope, outer),
        remedy: sentence`Add a rule for ${scope} with mirrorSourcePolicy ${neverContactSource}, or remove the scope from the list.`,
      }),
    ];
  });
  return [...inRules, ...inList];
}
