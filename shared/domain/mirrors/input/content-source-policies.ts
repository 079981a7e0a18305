import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { displayName, type KubernetesObject, referenceTo } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import type { MirrorRule } from "./rules.ts";

const deprecated = "ImageContentSourcePolicy";

/** Rules with equal keys have the same effect on the merged mirrors. */
function ruleKey({ source, mirrors }: MirrorRule): string {
  return [source, ...mirrors].join(" ");
}

function deprecatedKind(object: KubernetesObject, message: string, remedy: string): Issue {
  return fieldWarning(object, "kind", object.kind, {
    code: "DeprecatedKind",
    message,
    remedy,
  });
}

/**
 * Returns one warning for each ImageContentSourcePolicy with rules: the ImageDigestMirrorSets that hold the same
 * rules, so that it can be deleted without affecting nodes, or the number of its rules that no set has.
 */
export function contentSourcePolicies(rules: readonly MirrorRule[]): readonly Issue[] {
  const old = rules.filter(({ origin }) => origin.object.kind === deprecated);
  const sources = new Set(old.map(({ source }) => source));
  const successors = new Map<string, string>();
  for (const rule of rules) {
    const { object } = rule.origin;
    if (object.kind !== "ImageDigestMirrorSet" || !sources.has(rule.source)) continue;
    const key = ruleKey(rule);
    if (!successors.has(key)) successors.set(key, displayName(referenceTo(object)));
  }
  const byPolicy = Map.groupBy(old, ({ origin }) => origin.object);
  return [...byPolicy].map(([object, own]) => {
    const found = own.map((rule) => successors.get(ruleKey(rule)));
    const missing = found.filter((name) => name === undefined).length;
    const names = [...new Set(found)].join(", ");
    return missing === 0
      ? deprecatedKind(
          object,
          sentence`${deprecated} is deprecated; all its rules are in ${names} too`,
          "Delete it: the rendered file stays the same, and no node is affected.",
        )
      : deprecatedKind(
          object,
          `${deprecated} is deprecated; ${missing} of its ${own.length} rules are in no ImageDigestMirrorSet`,
          "Create the ImageDigestMirrorSet that `hubrelay convert` makes of it, then delete it.",
        );
  });
}
