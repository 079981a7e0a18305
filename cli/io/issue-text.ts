import { explanation, hasErrors, type Issue } from "#shared/domain/issues/issue.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { exitCodes } from "../program/exit-codes.ts";
import { printError, type SafeText, safe, verbatim } from "./safe-text.ts";

/** An issue as people read it: how grave it is, object, field and value, what is wrong, and the way out. */
export function issueText(issue: Issue): SafeText {
  return safe`${issue.severity}: ${issueSentences(issue)}`;
}

/** The same where something else says how grave it is. */
export function issueSentences(issue: Issue): string {
  const { object, path, value } = issue;
  const place = [displayName(object), path, value === undefined ? "" : shorten(JSON.stringify(value))];
  return `${place.filter((part) => part !== "").join(" ")}: ${explanation(issue)}`;
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}

/** Writes every issue to standard error, as text or as JSON lines, and answers the exit code they mean. */
export function tellIssues(issues: readonly Issue[], format: "text" | "json"): number {
  for (const issue of issues)
    printError(format === "json" ? verbatim(JSON.stringify(issue)) : issueText(issue));
  return hasErrors(issues) ? exitCodes.issues : exitCodes.fine;
}
