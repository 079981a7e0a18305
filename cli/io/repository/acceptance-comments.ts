import { fileIssue } from "#shared/domain/issues/file-issues.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { type IssueCode, isIssueCode, issueCodeNames } from "#shared/domain/issues/issue-codes.ts";
import { nearestName } from "#shared/domain/issues/nearest-name.ts";
import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";
import type { Position } from "#shared/domain/manifests/yaml-document.ts";
import { isCalendarDay } from "#shared/domain/text/calendar-day.ts";
import { sentence } from "#shared/domain/text/redact.ts";

/** A comment that accepts issues of one code on a line of a file until a day. */
export type AcceptanceComment = Readonly<{
  code: IssueCode;
  until: string;
  reason: string;
  file: string;
  /** The line whose issues it accepts. */
  line: number;
  /** Where the comment is. */
  at: Position;
}>;

const word = "hubrelay:accept";
const form = `# ${word} CODE until=2026-12-31 REASON`;

type Read = Readonly<
  { code: IssueCode; until: string; reason: string } | { message: string; remedy: string }
>;

function readComment(text: string): Read {
  const {
    code = "",
    until,
    reason = "",
  } = /^(?<code>\S+)(?:\s+until=(?<until>\S*))?(?<reason>.*)$/s.exec(text)?.groups ?? {};
  if (!isIssueCode(code)) {
    const nearest = nearestName(code, issueCodeNames);
    const message = code === "" ? "The comment has no code." : sentence`No issue has the code ${code}.`;
    return { message, remedy: nearest ? sentence`Did you mean ${nearest}?` : `Write ${form}.` };
  }
  if (until === undefined || !isCalendarDay(until))
    return { message: "The comment has no day on which it ends.", remedy: `Write ${form}.` };
  if (reason.trim() === "") return { message: "The comment has no reason.", remedy: `Write ${form}.` };
  return { code, until, reason: reason.trim() };
}

const isComment = (line: string): boolean => /^\s*#/.test(line);

/** Returns the index of the line that a comment is about: its own, or the next one where it stands alone. */
function targetOf(lines: readonly string[], index: number): number {
  if (!isComment(lines[index] ?? "")) return index;
  const next = lines.findIndex((line, at) => at > index && line.trim() !== "" && !isComment(line));
  return next < 0 ? index : next;
}

/** Returns the comments of a file that accept issues, and errors about those that cannot be read. */
export function acceptanceComments({
  file,
  text,
}: ManifestText): Readonly<{ comments: readonly AcceptanceComment[]; issues: readonly Issue[] }> {
  const comments: AcceptanceComment[] = [];
  const issues: Issue[] = [];
  if (!text.includes(word)) return { comments, issues };
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    const found = /(?<before>^|\s)#\s*hubrelay:accept(?![\w-])(?<content>.*)$/.exec(line);
    if (!found) continue;
    const { before = "", content = "" } = found.groups ?? {};
    const at = { line: index + 1, column: found.index + before.length + 1 };
    const read = readComment(content.trim());
    if ("message" in read)
      issues.push(fileIssue(file, at, content.trim(), { code: "InvalidAcceptance", ...read }));
    else comments.push({ ...read, file, line: targetOf(lines, index) + 1, at });
  }
  return { comments, issues };
}
