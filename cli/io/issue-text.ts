import { explanation, hasErrors, type Issue, relatedText } from "#shared/domain/issues/issue.ts";
import { withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import { exitCodes } from "../program/exit-codes.ts";
import { severityColours, subjectOf } from "./issue-subject.ts";
import { issuesOnTerminal } from "./on-terminal/issues-on-terminal.ts";
import { shownText } from "./on-terminal/shown-texts.ts";
import { painted, printError, type SafeText, safe, verbatim } from "./safe-text.ts";

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
  const after = [relatedText(issue), remedy && `Fix: ${remedy}`].filter(Boolean).join(" ");
  const sentences = explanation({ message, remedy: after });
  return `${[subjectOf(issue), sentences].filter(Boolean).join(": ")} [${code}]`;
}

/**
 * Writes the issues to standard error, each once, and returns the exit code for them: as JSON lines, or as text, which on a
 * terminal shows the lines of the files.
 */
export function printIssues(issues: readonly Issue[], format: "text" | "json"): number {
  const { isTTY, columns } = process.stderr;
  const shown = redactTexts(withoutRepeats(issues));
  const lines =
    format === "json"
      ? shown.map((issue) => verbatim(JSON.stringify(issue)))
      : isTTY
        ? issuesOnTerminal(shown, shownText, columns || 80)
        : shown.map(issueText);
  for (const line of lines) printError(line);
  return hasErrors(issues) ? exitCodes.issues : exitCodes.fine;
}
