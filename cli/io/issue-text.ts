import { explanation, hasErrors, type Issue, relatedText } from "#shared/domain/issues/issue.ts";
import { byCodeUnit, withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";
import { printable, redactTexts } from "#shared/domain/text/redact.ts";
import { exitCodes } from "../program/exit-codes.ts";
import { joined, painted, printError, type SafeText, safe, severityColours } from "./safe-text.ts";
import { brokenAt } from "./table.ts";

/** The maximum length of a line that is shown: programs write longer ones, which do not help a person. */
const maxLineLength = 2_000;
/** A long line is cut so that this many characters remain before the value. */
const lead = 12;

/** Returns the lines of a text; tabs become spaces, so that each character takes one column. */
export function fileLines(text: string): readonly string[] {
  return text.replaceAll("\t", " ").split(/\r?\n/);
}

/**
 * Returns an issue's line up to the end of the value, with the value's position. For an object, a list or no value,
 * the line ends after the field's name. Undefined if the value is in another line, or the line is not printable.
 */
function marked({ line: number = 0, column = 1, value, code, path }: Issue, lines: readonly string[]) {
  const line = lines[number - 1] ?? "";
  // An unparsable line may be part of a credential, for example if a block of text has lost its indentation.
  if (line.length > maxLineLength || code === "InvalidManifest") return undefined;
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

/** Returns the line of an issue with its number, and carets below the value; empty if the line cannot be shown. */
function lineWithCaret(issue: Issue, lines: readonly string[], width: number): readonly SafeText[] {
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

/** The text of each file as this process last read it, by path. */
const texts = new Map<string, string>();

/** Remembers a text, since any command may print issues with lines of it on a terminal. */
export function showable<Text extends ManifestText>(read: Text): Text {
  texts.set(read.file, read.text);
  return read;
}

/** The longest line of an issue in a log or file, in characters. */
const maxLine = 160;
const maxValue = 60;
const maxPath = 60;

/** Shortens digests in a text for people; enough characters are left to distinguish the digests. */
export const withShortDigests = (text: string): string =>
  text.replaceAll(/(sha(?:256|384|512):[0-9a-f]{12})[0-9a-f]{20,}/g, "$1…");

/** Returns the path of a field. Of a long path through nested objects, returns only the beginning and end. */
function shortPath(path: string): string {
  if (path.length <= maxPath || path.includes('"')) return path;
  const steps = path.split(".");
  return steps.length < 6 ? path : `${steps.slice(0, 2).join(".")}…${steps.slice(-2).join(".")}`;
}

/** Returns an issue's object and field as one text, and the value. Leaves out what the place or message already has. */
function subjectOf({ object, path, value, file, line, column, message }: Issue) {
  const isPlace = file === object.name && object.kind === "File";
  const isPosition = path === `${line}:${column}` || path === file;
  const plain = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const isShown = plain === "" ? isPlace || value === undefined : message.includes(plain);
  const quoted = withShortDigests(JSON.stringify(value) ?? "");
  const field = [isPlace ? "" : displayName(object), isPlace && isPosition ? "" : shortPath(path)];
  const short = quoted.length <= maxValue ? quoted : `${quoted.slice(0, maxValue - 1)}…`;
  return [field.filter(Boolean).join(" "), isShown ? "" : short] as const;
}

/** Returns an issue's subject and problem. A subject longer than `room` loses the value, and the problem gets it. */
function partsOf(issue: Issue, room = Number.POSITIVE_INFINITY): readonly [subject: string, problem: string] {
  const [field, value] = subjectOf(issue);
  const message = withShortDigests(explanation({ message: issue.message, remedy: "" }));
  const subject = [field, value].filter(Boolean).join(" ");
  if (value !== "" && subject.length > room) return [field && `${field}: `, `${value}: ${message}`];
  return [subject && `${subject}: `, message];
}

const below = "    ";

/** An issue that a command prints. `known` is true in a comparison if both sides have the issue. */
export type PrintedIssue = Issue & Readonly<{ known?: true }>;

const severityText = ({ severity }: Issue): SafeText => painted(severityColours[severity], severity);
const codeText = ({ code, known }: PrintedIssue): SafeText =>
  safe`${painted("dim", `[${code}]`)}${known ? " (there before)" : ""}`;

/** The minimum length of all clauses on the first line together: less text would say too little. */
const minClause = 20;

/** Returns the whole text if it fits in `room`, otherwise the first clauses that fit; empty if none fits. */
function clausesIn(text: string, room: number): string {
  if (text.length <= room) return text;
  const ends = [...text.matchAll(/(?<=[.:;]) /g)].map(({ index }) => index);
  return text.slice(0, ends.findLast((index) => index >= minClause && index <= room) ?? 0);
}

type Terminal = Readonly<{ width: number; linesOf(file: string): readonly string[] }>;

/**
 * Returns an issue as text. The first line has place, severity, object, field, value, problem and code. The lines below
 * have the rest of the problem, the line of the file (only on a terminal), other places, and the fix.
 */
export function issueText(issue: PrintedIssue, terminal?: Terminal): SafeText {
  const { width = maxLine } = terminal ?? {};
  const place = safe`${placeText(issue)}${severityText(issue)}: `;
  const [subject, problem] = partsOf(issue, maxLine - safe`${place}: ${codeText(issue)}`.width);
  const head = safe`${place}${subject}`;
  const beside = clausesIn(problem, maxLine - safe`${head} ${codeText(issue)}`.width);
  const shown = lineWithCaret(issue, terminal?.linesOf(issue.file ?? "") ?? [], width - below.length);
  const textsBelow = (...texts: readonly (string | undefined)[]) =>
    texts.flatMap((text) => (text ? brokenAt(safe`${text}`, width - below.length) : []));
  const lines = [
    ...textsBelow(problem.slice(beside.length).trim()),
    ...shown,
    ...textsBelow(relatedText(issue), issue.remedy && `Fix: ${issue.remedy}`),
  ];
  const first = safe`${head}${beside}${beside === "" ? "" : " "}${codeText(issue)}`;
  return joined([first, ...lines.map((line) => safe`${below}${line}`)], safe`\n`);
}

/** Returns `file:line:column: `, as compilers write it and editors read it; empty without a place. */
export function placeText({ file, line, column }: Issue): string {
  return file === undefined ? "" : `${file}:${line ?? 1}:${column ?? 1}: `;
}

/** Returns the text of an issue without its place and severity, on one line. */
export function issueSentences(issue: Issue): string {
  const { remedy, code } = issue;
  return [partsOf(issue).join(""), relatedText(issue), remedy && `Fix: ${remedy}`, `[${code}]`]
    .filter(Boolean)
    .join(" ");
}

const placeKeys = ({ file, object, line = 0, column = 0 }: Issue): readonly [string, number, number] => [
  file === undefined ? `1 ${displayName(object)}` : `0 ${file}`,
  line,
  column,
];

/**
 * Returns issues in the order in which every command prints them: first by file, line and column, so that a reader goes
 * through each file once; then issues without a place, by object. Issues that are `known` come last.
 */
export function inOrder<Any extends PrintedIssue>(issues: readonly Any[]): readonly Any[] {
  return issues.toSorted((a, b) => {
    const [file, line, column] = placeKeys(a);
    const [otherFile, otherLine, otherColumn] = placeKeys(b);
    const known = Number(a.known ?? false) - Number(b.known ?? false);
    return known || byCodeUnit(file, otherFile) || line - otherLine || column - otherColumn;
  });
}

/**
 * Writes the issues to standard error, each once and in order; on a terminal, also the lines of the files. Returns exit
 * code 1 if one of them is an error, otherwise 0.
 */
export function printIssues(issues: readonly PrintedIssue[]): number {
  const { isTTY, columns } = process.stderr;
  const read = new Map<string, readonly string[]>();
  const linesOf = (file: string) => {
    const lines = read.get(file) ?? fileLines(texts.get(file) ?? "");
    read.set(file, lines);
    return lines;
  };
  for (const issue of redactTexts(inOrder(withoutRepeats(issues))))
    printError(issueText(issue, isTTY ? { width: columns || 80, linesOf } : undefined));
  return hasErrors(issues) ? exitCodes.issues : exitCodes.fine;
}
