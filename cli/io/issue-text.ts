import { redactTexts } from "#shared/domain/credentials/redact.ts";
import { explanation, hasErrors, type Issue } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/json/same-json.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { exitCodes } from "../program/exit-codes.ts";
import { painted, printError, type SafeText, safe, verbatim } from "./safe-text.ts";

/** The colour of each severity, the same in every command. */
export const severityColours = { error: "red", warning: "yellow" } as const;

/** Returns an issue as text: its place in a file, severity, object, field and value, problem, remedy and code. */
export function issueText(issue: Issue): SafeText {
  return safe`${placeText(issue)}${painted(severityColours[issue.severity], issue.severity)}: ${issueSentences(issue)}`;
}

/** Returns `file:line:column: `, as compilers write it and editors read it; empty without a place. */
export function placeText({ file, line, column }: Issue): string {
  return file === undefined ? "" : `${file}:${line ?? 1}:${column ?? 1}: `;
}

/** Returns the text of an issue without its place and severity. */
export function issueSentences({ code, message, remedy, ...issue }: Issue): string {
  const sentences = explanation({ message, remedy: remedy && `Fix: ${remedy}` });
  return `${[subjectOf(issue), sentences].filter(Boolean).join(": ")} [${code}]`;
}

/** What the issue is about: object, field and value; of a file that the place names, only what the place does not say. */
function subjectOf({
  object,
  path,
  value,
  file,
  line,
  column,
}: Omit<Issue, "code" | "message" | "remedy">): string {
  const isPlace = file === object.name && object.kind === "File";
  const isPosition = path === `${line}:${column}` || path === file;
  const parts = [
    isPlace ? "" : displayName(object),
    isPlace && isPosition ? "" : path,
    value === undefined || (isPlace && value === "") ? "" : shorten(JSON.stringify(value)),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}

/** Writes the issues to standard error, each once, as text or as JSON lines, and returns the exit code for them. */
export function printIssues(issues: readonly Issue[], format: "text" | "json"): number {
  for (const issue of redactTexts(withoutRepeats(issues)))
    printError(format === "json" ? verbatim(JSON.stringify(issue)) : issueText(issue));
  return hasErrors(issues) ? exitCodes.issues : exitCodes.fine;
}
