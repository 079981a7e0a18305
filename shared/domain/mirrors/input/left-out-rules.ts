import { isMirror, isSource } from "../../images/location-patterns.ts";
import { fieldsOf, ownValue, type UnknownRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { allowContactingSource, type MirrorRule, neverContactSource, type RuleOrigin } from "./rules.ts";

/*
 * A rule with an error is left out, but must not open what it closes: its source stays known, and so does a policy that
 * forbids contacting it. A policy that cannot be read counts as one that forbids it.
 */

function strictPolicy(policy: unknown): string {
  const isOpen = policy === undefined || policy === null || policy === allowContactingSource;
  return isOpen ? allowContactingSource : neverContactSource;
}

/** Returns what can be read of a rule of any type; its source is empty when that cannot be read. */
export function readableParts(
  item: unknown,
  { pullKind, hasPolicy }: Readonly<{ pullKind: MirrorRule["pullKind"]; hasPolicy: boolean }>,
  origin: RuleOrigin,
): MirrorRule {
  const { source, mirrors, mirrorSourcePolicy } = fieldsOf(item);
  return {
    pullKind,
    source: typeof source === "string" ? source : "",
    mirrors: Array.isArray(mirrors)
      ? mirrors.map((mirror) => (typeof mirror === "string" ? mirror : ""))
      : [],
    policy: strictPolicy(hasPolicy ? mirrorSourcePolicy : undefined),
    origin,
  };
}

/** Returns the rule without its invalid mirrors; its source is empty when that is invalid. */
export function validPart(rule: MirrorRule): MirrorRule {
  const { source, mirrors } = rule;
  const policy = strictPolicy(rule.policy);
  const positionOf = new Map<string, number>();
  for (const [at, mirror] of mirrors.entries()) {
    const isRefused = policy === neverContactSource && mirror === source;
    if (isMirror(mirror) && !isRefused && !positionOf.has(mirror)) positionOf.set(mirror, at);
  }
  return {
    ...rule,
    source: isSource(source) ? source : "",
    mirrors: [...positionOf.keys()],
    policy,
    positions: [...positionOf.values()],
  };
}

/** Returns the rules in lists that are not read, without their mirrors, which serve no pull. */
export function unreadRules(
  object: KubernetesObject,
  spec: UnknownRecord,
  lists: Iterable<string>,
): readonly MirrorRule[] {
  return [...lists].flatMap((list) => {
    const items = ownValue(spec, list);
    if (!Array.isArray(items)) return [];
    return items.map((item: unknown, index): MirrorRule => {
      const parts = readableParts(item, { pullKind: "any", hasPolicy: true }, { object, list, index });
      return { ...parts, mirrors: [] };
    });
  });
}
