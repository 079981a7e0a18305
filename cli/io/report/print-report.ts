import { coverageLines } from "#shared/domain/issues/coverage.ts";
import { errorsOf } from "#shared/domain/issues/issue.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { printable, redactTexts } from "#shared/domain/text/redact.ts";
import { inOrder, printIssues } from "../issue-text.ts";
import { painted, print, printError, type SafeText, safe, severityColours, verbatim } from "../safe-text.ts";
import { content } from "../structured-output.ts";
import { githubCommands } from "./github-commands.ts";
import { junitXml } from "./junit.ts";
import { sarifLog } from "./sarif.ts";
import { summaryOf, type ValidationReport } from "./validation-report.ts";

export type ReportFormat = "text" | "json" | "sarif" | "github" | "junit";

function printSummary(report: ValidationReport): void {
  const { objects, files, ignored, errors, warnings, folded, accepted } = summaryOf(report);
  const where = report.files === undefined ? "on the hub" : `in ${counted(files, "file")}`;
  const found = (["error", "warning"] as const).map((severity) => {
    const count = severity === "error" ? errors : warnings;
    const text = counted(count, severity);
    return safe`, ${count > 0 ? painted(severityColours[severity], text) : text}`;
  });
  if (folded && folded.errors + folded.warnings > 0)
    printError(
      safe`Not shown, since they were there before this change: ${counted(folded.errors, "error")}, ${counted(folded.warnings, "warning")}`,
    );
  const others = accepted > 0 ? `, ${accepted} accepted` : "";
  printError(safe`${counted(objects, "object")} checked ${where}, ${ignored} ignored${found}${others}`);
  for (const line of coverageLines(report.coverage)) printError(safe`${line}`);
}

/** Prints text on standard error, other formats on standard output. `quiet` omits counts and, in text, warnings. */
export function printReport(
  given: ValidationReport,
  { output, quiet }: Readonly<{ output: ReportFormat; quiet: boolean }>,
): void {
  const coverage = redactTexts(given.coverage);
  const report = {
    ...given,
    issues: redactTexts(inOrder(given.issues)),
    accepted: redactTexts(inOrder(given.accepted)),
    coverage,
  };
  const note = given.note === undefined ? {} : { note: printable(given.note) };
  const { issues, accepted } = report;
  const formats: Readonly<Record<Exclude<ReportFormat, "text">, () => SafeText>> = {
    json: () => content({ issues, accepted, summary: summaryOf(report), coverage, ...note }, "json"),
    sarif: () => content(sarifLog(report), "json"),
    github: () => githubCommands(report),
    junit: () => verbatim(junitXml(report)),
  };
  if (output === "text") printIssues(quiet ? errorsOf(issues) : issues);
  else print(formats[output]());
  if (!quiet) printSummary(report);
}
