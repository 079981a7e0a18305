import type { Issue } from "#shared/domain/issues/issue.ts";
import { printable } from "#shared/domain/text/redact.ts";
import { painted, type SafeText, safe, severityColours } from "./safe-text.ts";

/** A longer line was written by a program, and shows a person nothing. */
const maxLineLength = 2_000;
/** What is shown before the value of a line that is cut. */
const lead = 12;

/** Returns the lines of a text, in which each character takes one column. */
export function fileLines(text: string): readonly string[] {
  return text.replaceAll("\t", " ").split(/\r?\n/);
}

/**
 * Returns the line of an issue up to its value, which the issue shows, and where the value is; where the issue shows none, or
 * one of several lines, up to the end of the field's name. None that has anything else that is not printable.
 */
function marked(
  { line: number = 0, column = 1, value, code, object, path }: Issue,
  lines: readonly string[],
) {
  const line = lines[number - 1] ?? "";
  // A line that cannot be parsed may be one of a key whose block has lost its indentation.
  if (line.length > maxLineLength || (object.kind === "File" && code === "InvalidManifest")) return undefined;
  const shown = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const at = shown === "" ? -1 : line.indexOf(shown, column - 1);
  if (at < 0 && typeof value !== "object" && value !== undefined) return undefined;
  const start = at < 0 ? column - 1 : at;
  const end = at < 0 ? line.indexOf(":", start) + 1 : at + shown.length;
  const text = `${line.slice(0, end)}${/^["'\]}]*/.exec(line.slice(end))?.[0] ?? ""}`;
  const isPrintable = printable(text) === text && safe`${text}`.toString() === text;
  const key = path.slice(path.lastIndexOf(".") + 1);
  const length = at >= 0 ? shown.length : line.startsWith(key, start) ? Math.max(1, key.length) : 1;
  return isPrintable && end > 0 ? { text, start, length } : undefined;
}

/** Returns the line of an issue with its number, and carets below the value. None where it may show a credential. */
export function lineWithCaret(issue: Issue, lines: readonly string[], width: number): readonly SafeText[] {
  const found = marked(issue, lines);
  if (found === undefined) return [];
  const { text, start, length } = found;
  const number = `${issue.line}`;
  const room = Math.max(lead * 2, width - number.length - " | ".length);
  const from = start + length > room ? Math.max(0, start - lead) : 0;
  const carets = "^".repeat(Math.min(length, room - (start - from)));
  return [
    safe`${painted("dim", `${number} |`)} ${safe`${text.slice(from)}`.cut(room)}`,
    safe`${painted("dim", `${" ".repeat(number.length)} |`)} ${" ".repeat(start - from)}${painted(severityColours[issue.severity], carets)}`,
  ];
}
