import type { Issue } from "../../issues/issue.ts";
import { type MirrorRule, ruleIssue } from "../input/rules.ts";

/** Something about one place that is not wrong, but hardly meant. */
export type LintFinding = Readonly<{
  issue: Issue;
  /** Remarks of one object that have this in common are told as one. */
  about: string;
}>;

/** A remark about a field of a rule; about the whole rule when the field is empty. */
export function lintFinding(
  rule: MirrorRule,
  field: string,
  value: unknown,
  { about, ...told }: Readonly<{ code: string; about: string; message: string; remedy: string }>,
): LintFinding {
  return { about, issue: ruleIssue(rule, field, value, { ...told, severity: "warning" }) };
}

/** How many places are named before the rest is only counted. */
const maxPlaces = 5;

function alsoAt(paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const rest = paths.length - maxPlaces;
  const named = paths.slice(0, maxPlaces).join(", ");
  return `; the same holds for ${named}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** One warning for all remarks of an object that have the same cause: it stands at the first place. */
export function gather(findings: readonly LintFinding[]): readonly Issue[] {
  const groups = Map.groupBy(findings, ({ issue: { code, object }, about }) =>
    JSON.stringify([code, object, about]),
  );
  return [...groups.values()].flatMap(([first, ...others]): Issue[] => {
    if (!first) return [];
    const { issue } = first;
    return [{ ...issue, message: issue.message + alsoAt(others.map((other) => other.issue.path)) }];
  });
}
