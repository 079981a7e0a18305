import { formatRemedy, isMirror, isSource } from "../../images/location-format.ts";
import type { Issue } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { sentence } from "../../text/redact.ts";
import {
  allowContactingSource,
  hasRepeats,
  type MirrorRule,
  neverContactSource,
  ruleIssue,
  ruleName,
} from "./rules.ts";

/** Whose refusals are errors: only those of the operator, or those of `anyone` (also of the API server and nodes). */
export type Refusing = "anyone" | "operator";

type ValidatedRules = Readonly<{
  usable: readonly MirrorRule[];
  refused: readonly MirrorRule[];
  /** In the order of the operator's checks: the first error is the error at which the operator stops. */
  issues: readonly Issue[];
}>;

function invalidSource(rule: MirrorRule): Issue {
  return ruleIssue(rule, "source", rule.source, {
    code: "InvalidSource",
    message: sentence`invalid format for source ${goQuote(rule.source)}`,
    remedy: formatRemedy("source", rule.source),
  });
}

function invalidMirror(rule: MirrorRule, index: number, mirror: string): Issue {
  return ruleIssue(rule, `mirrors[${index}]`, mirror, {
    code: "InvalidMirror",
    message: sentence`invalid format for mirror ${goQuote(mirror)}`,
    remedy: formatRemedy("mirror", mirror),
  });
}

function sourceIsOwnMirror(rule: MirrorRule, index: number): Issue {
  return ruleIssue(rule, `mirrors[${index}]`, rule.source, {
    code: "SourceIsOwnMirror",
    message: sentence`cannot set mirrorSourcePolicy: NeverContactSource if the source ${goQuote(rule.source)} is one of the mirrors`,
    remedy: "Remove this mirror, or allow contacting the source.",
  });
}

function invalidPolicy(rule: MirrorRule, refusing: Refusing): Issue {
  return ruleIssue(rule, "mirrorSourcePolicy", rule.policy, {
    code: "InvalidMirrorSourcePolicy",
    severity: refusing === "operator" ? "warning" : "error",
    message: sentence`mirrorSourcePolicy ${goQuote(rule.policy)} is unknown; the API server refuses it`,
    remedy: `Write ${allowContactingSource} or ${neverContactSource}, or leave the field out.`,
  });
}

function duplicateMirror(rule: MirrorRule, index: number, mirror: string, refusing: Refusing): Issue {
  const refusedByApi = rule.origin.object.kind !== "ImageContentSourcePolicy";
  return ruleIssue(rule, `mirrors[${index}]`, mirror, {
    code: "DuplicateMirror",
    severity: refusedByApi && refusing !== "operator" ? "error" : "warning",
    message: refusedByApi
      ? sentence`mirror ${goQuote(mirror)} is listed twice; the API server refuses the object`
      : sentence`mirror ${goQuote(mirror)} is listed twice, which can move it and the source in the merged order`,
    remedy: "Remove this repetition.",
  });
}

function conflictingPolicy(rule: MirrorRule, other: MirrorRule): Issue {
  return ruleIssue(rule, "mirrorSourcePolicy", rule.policy, {
    code: "ConflictingMirrorSourcePolicy",
    message: sentence`conflicting mirrorSourcePolicy is set for the same source ${goQuote(rule.source)} in imagedigestmirrorsets, imagetagmirrorsets, or imagecontentsourcepolicies`,
    remedy: sentence`Give every rule of this source one mirrorSourcePolicy: it is ${rule.policy || allowContactingSource} here and ${other.policy || allowContactingSource} in ${ruleName(other)}.`,
  });
}

function effectivePolicy({ policy }: MirrorRule): string {
  return policy === "" ? allowContactingSource : policy;
}

function isKnownPolicy(policy: string): boolean {
  return policy === allowContactingSource || policy === neverContactSource;
}

/** `other` is the earliest rule whose mirrorSourcePolicy differs from that of `first`. */
type SourceGroup = { readonly first: MirrorRule; other?: MirrorRule; readonly all: MirrorRule[] };

function conflictOf({ first, other = first, all }: SourceGroup): Issue {
  const [main, contradicted] = first.policy === neverContactSource ? [first, other] : [other, first];
  const conflicting = all.filter((rule) => rule !== main).map((rule) => conflictingPolicy(rule, main));
  return { ...conflictingPolicy(main, contradicted), conflicting };
}

function groupBySource(rules: readonly MirrorRule[], refusing: Refusing): ReadonlyMap<string, SourceGroup> {
  const contested = new Set<string>();
  for (const rule of rules) if (effectivePolicy(rule) !== allowContactingSource) contested.add(rule.source);
  const bySource = new Map<string, SourceGroup>();
  if (contested.size === 0) return bySource;
  for (const rule of rules) {
    if (!contested.has(rule.source)) continue;
    if (refusing !== "operator" && !isKnownPolicy(rule.policy)) continue;
    const group = bySource.get(rule.source);
    group?.all.push(rule);
    if (!group) bySource.set(rule.source, { first: rule, all: [rule] });
    else if (!group.other && effectivePolicy(group.first) !== effectivePolicy(rule)) group.other = rule;
  }
  return bySource;
}

function inspectMirrors(rule: MirrorRule, refusing: Refusing, issues: Issue[]): void {
  const { mirrors } = rule;
  for (let i = 0; i < mirrors.length; i++) {
    const mirror = mirrors[i] ?? "";
    if (!isMirror(mirror)) issues.push(invalidMirror(rule, i, mirror));
    else if (rule.policy === neverContactSource && mirror === rule.source) {
      issues.push(sourceIsOwnMirror(rule, i));
    }
  }
  if (!hasRepeats(mirrors)) return;
  const seen = new Set<string>();
  for (const [i, mirror] of mirrors.entries()) {
    if (seen.has(mirror)) issues.push(duplicateMirror(rule, i, mirror, refusing));
    seen.add(mirror);
  }
}

/**
 * Checks the format of every rule, and whether the rules of a source agree about contacting the source. If they do not,
 * `anyone` refuses them all: one side would break pulls, the other would contact a source that must not be contacted.
 * The rules must be sorted (ImageDigestMirrorSets, ImageContentSourcePolicies, ImageTagMirrorSets), so that the first
 * error is the operator's.
 */
export function validateRules(rules: readonly MirrorRule[], refusing: Refusing): ValidatedRules {
  const bySource = groupBySource(rules, refusing);
  const issues: Issue[] = [];
  const usable: MirrorRule[] = [];
  const refused: MirrorRule[] = [];

  for (const rule of rules) {
    const before = issues.length;
    const group = bySource.get(rule.source);
    let isRefused = false;
    if (!isSource(rule.source)) issues.push(invalidSource(rule));
    else if (group?.other) {
      const { first } = group;
      isRefused = refusing === "anyone";
      if (isRefused && rule === first) issues.push(conflictOf(group));
      // The operator reports only the rules that contradict the first rule.
      const isReported = !isRefused && effectivePolicy(rule) !== effectivePolicy(first);
      if (isReported) issues.push(conflictingPolicy(rule, first));
    }
    if (!isKnownPolicy(rule.policy)) issues.push(invalidPolicy(rule, refusing));
    inspectMirrors(rule, refusing, issues);
    for (let i = before; i < issues.length; i++) if (issues[i]?.severity === "error") isRefused = true;
    (isRefused ? refused : usable).push(rule);
  }
  return { usable, refused, issues };
}
