import type { WrongSide } from "#shared/domain/diff/diff-report.ts";
import { causedIssues } from "#shared/domain/issues/caused-issues.ts";
import { countsOf, explanation, type Issue, relatedText } from "#shared/domain/issues/issue.ts";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { inOrder, withShortDigests } from "../../../io/issue-text.ts";
import { pathInRepository } from "../../../io/report/validation-report.ts";
import { code, folded, limited, plain } from "./markdown-text.ts";

const icons = { error: "❌", warning: "⚠️" } as const;
/** More issues are folded: a long list would hide the cost, which follows the issues. */
const maxShown = 5;
const room = 12_000;

/** A line break within an item of a Markdown list. */
const nextLine = "  \n  ";

function issueItem(issue: Issue): string {
  const { severity, object, path, message, remedy, file, line = 1 } = issue;
  const place = file === undefined ? "" : `${code(`${pathInRepository(file)}:${line}`)} `;
  const what = `${icons[severity]} ${place}${plain(withShortDigests(explanation({ message, remedy: relatedText(issue) ?? "" })))} (${code(issue.code)})`;
  const subject = object.kind === "File" ? [] : [displayName(object), path].filter(Boolean);
  const lines = [what, remedy && `**Fix:** ${plain(remedy)}`, subject.map(code).join(" ")].filter(Boolean);
  return `- ${lines.join(nextLine)}\n`;
}

/** Returns a text with the object, the field and the code of a fixed issue. */
export const fixedText = ({ object, path, code: name }: Issue): string =>
  `${[displayName(object), path].filter(Boolean).join(" ")} (${name})`;

/** Returns counts of errors and warnings without zeros: `2 errors, 1 warning`. */
export function countsText({ errors, warnings }: WrongSide["fixed"]): string {
  const texts = [errors > 0 && counted(errors, "error"), warnings > 0 && counted(warnings, "warning")];
  return texts.filter((text) => text !== false).join(", ");
}

const errorsFirst = (issues: readonly Issue[]) =>
  inOrder(issues).toSorted((a, b) => byCodeUnit(a.severity, b.severity));

/** Returns a text with the number of known issues, which both sides have; empty if there are none. */
export function knownText(known: readonly Issue[]): string {
  const verb = known.length === 1 ? "was" : "were";
  return known.length === 0 ? "" : `${countsText(countsOf(known))} that ${verb} there before`;
}

/** Renders the new, known and fixed issues of a comparison. `share` (0 to 1) shortens each list. */
export function issuesMarkdown(wrong: WrongSide, share: number): string {
  const { issues, known, accepted, consequences, fixed, fixedIssues } = wrong;
  const ordered = errorsFirst(causedIssues(wrong));
  const count = Math.ceil(maxShown * share);
  const shown = ordered.slice(0, count).map(issueItem);
  const others = ordered.slice(count);
  const rest =
    others.length === 0
      ? ""
      : `\n${folded(`${others.length} more: ${countsText(countsOf(others))}`, limited(others.map(issueItem), "issue", room * share))}`;
  // Each consequence is a paragraph: a Markdown file, unlike a comment on GitHub, shows a single line break as a space.
  const effects = consequences.map((one) => `> ${plain(one)}\n`).join(">\n");
  const before =
    known.length === 0
      ? ""
      : `\n${folded(knownText(known), limited(errorsFirst(known).map(issueItem), "issue", room * share))}`;
  const found =
    issues.length === 0
      ? ""
      : `\n#### What is wrong\n\n${effects}${effects && shown.length > 0 ? "\n" : ""}${shown.join("")}${rest}${before}`;
  const notCounted = accepted > 0 ? `\n${counted(accepted, "issue")} accepted, and not counted.\n` : "";
  const names = fixedIssues.map((issue) => `- ${code(fixedText(issue))}\n`);
  const better =
    names.length === 0 ? "" : `\n✅ Fixes ${countsText(fixed)}:\n\n${limited(names, "issue", room * share)}`;
  return `${found}${better}${notCounted}`;
}
