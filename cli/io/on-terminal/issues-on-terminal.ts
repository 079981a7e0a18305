import { explanation, type Issue } from "#shared/domain/issues/issue.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { severityColours, subjectOf } from "../issue-subject.ts";
import { painted, type SafeText, safe } from "../safe-text.ts";
import { brokenAt } from "../table.ts";
import { fileLines, lineWithCaret } from "./line-with-caret.ts";

const indented = (text: SafeText, by: string, width: number): readonly SafeText[] =>
  brokenAt(text, width - by.length).map((line) => safe`${by}${line}`);

/** Returns the issue without its value, if one of these texts shows it. */
function withValueOnce(issue: Issue, texts: readonly string[]): Issue {
  const value = typeof issue.value === "string" ? issue.value : (JSON.stringify(issue.value) ?? "");
  const isShown = value !== "" && texts.some((text) => text.includes(value));
  return isShown ? { ...issue, value: undefined } : issue;
}

function issueLines(issue: Issue, lines: readonly string[], width: number): readonly SafeText[] {
  const { severity, line, column = 1, code, message, remedy } = issue;
  const place = line === undefined ? "" : `${line}:${column} `;
  const shown = lineWithCaret(issue, lines, width - 4);
  const subject = subjectOf(withValueOnce(issue, [message, ...shown.map(String)]));
  const problem = [subject, explanation({ message, remedy: "" })].filter(Boolean).join(": ");
  const first = safe`${place}${painted(severityColours[severity], severity)}: ${problem} ${painted("dim", `[${code}]`)}`;
  return [
    ...indented(first, "  ", width),
    ...shown.map((one) => safe`    ${one}`),
    ...(remedy ? indented(safe`Fix: ${remedy}`, "    ", width) : []),
  ];
}

/**
 * Returns issues for a person: below the file that they are in, or the object without one, each with its place, the
 * problem, the line of the file and the fix. An empty line ends each file.
 */
export function issuesOnTerminal(
  issues: readonly Issue[],
  textOf: (file: string) => string | undefined,
  width: number,
): readonly SafeText[] {
  const groups = Map.groupBy(issues, ({ file, object }) => file ?? displayName(object));
  return [...groups].flatMap(([name, ofGroup]) => {
    const lines = fileLines(textOf(name) ?? "");
    return [painted("bold", name), ...ofGroup.flatMap((issue) => issueLines(issue, lines, width)), safe``];
  });
}
