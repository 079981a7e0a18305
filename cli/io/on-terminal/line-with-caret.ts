import { redacted, redactForeign } from "#shared/domain/credentials/redact.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { severityColours } from "../issue-subject.ts";
import { painted, type SafeText, safe } from "../safe-text.ts";

/** A longer line was written by a program, and shows a person nothing. */
const maxLineLength = 2_000;
/** A private key in PEM has fewer lines, none of which looks like a part of it. */
const linesBefore = 200;
/** What is shown before the value of a line that is cut. */
const lead = 12;

const isSeparator = (line: string): boolean => /^---(?:\s|$)/.test(line);
const isOfSecret = (line: string): boolean => /\bkind["']?\s*:\s*["']?Secret\b/.test(line);

/** The lines of a file, in which each character takes one column. */
export type FileLines = Readonly<{
  lines: readonly string[];
  /** Where the document of each line begins. */
  begins: readonly number[];
  /** Where documents with a Secret begin. */
  secrets: ReadonlySet<number>;
}>;

/** Returns the lines of a text. */
export function fileLines(text: string): FileLines {
  const lines = text.replaceAll("\t", " ").split(/\r?\n/);
  let begin = 0;
  const begins = lines.map((line, index) => {
    if (isSeparator(line)) begin = index;
    return begin;
  });
  const secrets = new Set(lines.flatMap((line, index) => (isOfSecret(line) ? (begins[index] ?? 0) : [])));
  return { lines, begins, secrets };
}

/** Returns the line of an issue, unless it may be part of a credential, or has characters that are escaped. */
function shownLine(issue: Issue, { lines, begins, secrets }: FileLines): string | undefined {
  const index = (issue.line ?? 0) - 1;
  const line = lines[index];
  if (line === undefined || line.trim() === "" || line.length > maxLineLength) return undefined;
  if (JSON.stringify(issue).includes(redacted)) return undefined;
  // A line that cannot be parsed may be one of a key whose block has lost its indentation.
  if (issue.object.kind === "File" && issue.code === "InvalidManifest") return undefined;
  const begin = begins[index] ?? 0;
  if (secrets.has(begin)) return undefined;
  const context = lines.slice(Math.max(begin, index - linesBefore), index + 1).join("\n");
  const isPlain = redactForeign(line) === line && redactForeign(context).split("\n").at(-1) === line;
  return isPlain && safe`${line}`.toString() === line ? line : undefined;
}

/** Returns where the value of an issue is in its line; where it is written in another way, where the field begins. */
function marked(line: string, { column = 1, value }: Issue): Readonly<{ start: number; length: number }> {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const start = text === "" ? -1 : line.indexOf(text, column - 1);
  return start < 0 ? { start: column - 1, length: 1 } : { start, length: text.length };
}

/** Returns the line of an issue with its number, and carets below the value. None where it may show a credential. */
export function lineWithCaret(issue: Issue, lines: FileLines, width: number): readonly SafeText[] {
  const line = shownLine(issue, lines);
  if (line === undefined) return [];
  const number = `${issue.line}`;
  const room = Math.max(lead * 2, width - number.length - " | ".length);
  const { start, length } = marked(line, issue);
  const from = start + length > room ? Math.max(0, start - lead) : 0;
  const carets = "^".repeat(Math.min(length, room - (start - from)));
  return [
    safe`${painted("dim", `${number} |`)} ${safe`${line.slice(from)}`.cut(room)}`,
    safe`${painted("dim", `${" ".repeat(number.length)} |`)} ${" ".repeat(start - from)}${painted(severityColours[issue.severity], carets)}`,
  ];
}
