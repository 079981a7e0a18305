import { type Issue, issueObject } from "../../issues/issue.ts";
import { displayName, referenceTo } from "../../kubernetes/object.ts";
import { type MirrorRule, rulePath } from "./rules.ts";

/** An issue about a field of a rule, for example `mirrors[0]`; about the whole rule when the field is empty. */
export function ruleIssue(
  rule: MirrorRule,
  field: string,
  value: unknown,
  about: Pick<Issue, "code" | "severity" | "message" | "remedy">,
): Issue {
  const path = field === "" ? rulePath(rule.origin) : `${rulePath(rule.origin)}.${field}`;
  return { ...about, object: issueObject(rule.origin.object), path, value };
}

/** How a message names a rule: `ImageDigestMirrorSet/acme spec.imageDigestMirrors[3]`. */
export function ruleName({ origin }: MirrorRule): string {
  return `${displayName(referenceTo(origin.object))} ${rulePath(origin)}`;
}
