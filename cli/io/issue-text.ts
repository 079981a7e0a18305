import { redact, redactTexts } from "#shared/domain/credentials/redact.ts";
import { explanation, hasErrors, type Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/json/same-json.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { exitCodes } from "../program/exit-codes.ts";
import { printError, type SafeText, safe, verbatim } from "./safe-text.ts";

/** Returns an issue as text: severity, object, field and value, problem, and remedy. */
export function issueText(issue: Issue): SafeText {
  return safe`${issue.severity}: ${issueSentences(issue)}`;
}

/** The output of a pipeline has more readers than the manifests that it quotes. */
function withoutCredentials(issue: Issue): Issue {
  const { path, value, message, remedy } = issue;
  return {
    ...issue,
    path: redact(path),
    value: redactTexts(value),
    message: redact(message),
    remedy: redact(remedy),
  };
}

/** Returns the text of an issue without its severity. */
export function issueSentences(given: Issue): string {
  const issue = withoutCredentials(given);
  const { object, path, value } = issue;
  const place = [displayName(object), path, value === undefined ? "" : shorten(JSON.stringify(value))];
  return `${place.filter((part) => part !== "").join(" ")}: ${explanation(issue)}`;
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}

/** Writes the issues to standard error, each once, as text or as JSON lines, and returns the exit code for them. */
export function printIssues(issues: readonly Issue[], format: "text" | "json"): number {
  for (const issue of withoutRepeats(issues))
    printError(format === "json" ? verbatim(JSON.stringify(withoutCredentials(issue))) : issueText(issue));
  return hasErrors(issues) ? exitCodes.issues : exitCodes.fine;
}
