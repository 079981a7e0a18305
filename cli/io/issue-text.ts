import { explanation, hasErrors, type Issue, relatedText } from "#shared/domain/issues/issue.ts";
import { byCodeUnit, withoutRepeats } from "#shared/domain/kubernetes/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";
import { printable, redactTexts } from "#shared/domain/text/redact.ts";
import { exitCodes } from "../program/exit-codes.ts";
import { joined, painted, printError, type SafeText, safe, severityColours } from "./safe-text.ts";
import { brokenAt } from "./table.ts";

/** Longer lines of a file are not shown: only programs write them. */
const maxLineLength = 2_000;
const lead = 12;

/** Returns the lines of a text. Tabs become spaces, so that each character takes one column. */
export function fileLines(text: string): readonly string[] {
  return text.replaceAll("\t", " ").split(/\r?\n/);
}

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

const texts = new Map<string, string>();

/** Keeps a text of a file, so that issues can later be printed with lines of this text. */
export function showable<Text extends ManifestText>(read: Text): Text {
  texts.set(read.file, read.text);
  return read;
}

const maxLine = 160;
const maxValue = 60;
const maxPath = 60;

/** Shortens the digests in a text to 12 hex digits, which are enough to distinguish images. */
export const withShortDigests = (text: string): string =>
  text.replaceAll(/(sha(?:256|384|512):[0-9a-f]{12})[0-9a-f]{20,}/g, "$1…");

function shortPath(path: string): string {
  if (path.length <= maxPath || path.includes('"')) return path;
  const steps = path.split(".");
  return steps.length < 6 ? path : `${steps.slice(0, 2).join(".")}…${steps.slice(-2).join(".")}`;
}

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

/** If the subject would be longer than `room`, the issue's value is in the problem instead. */
function partsOf(issue: Issue, room = Number.POSITIVE_INFINITY): readonly [subject: string, problem: string] {
  const [field, value] = subjectOf(issue);
  const message = withShortDigests(explanation({ message: issue.message, remedy: "" }));
  const subject = [field, value].filter(Boolean).join(" ");
  if (value !== "" && subject.length > room) return [field && `${field}: `, `${value}: ${message}`];
  return [subject && `${subject}: `, message];
}

const below = "    ";

/** An issue that a command prints. In a comparison, `known` is true if both sides have the issue. */
export type PrintedIssue = Issue & Readonly<{ known?: true }>;

const severityText = ({ severity }: Issue): SafeText => painted(severityColours[severity], severity);
const codeText = ({ code, known }: PrintedIssue): SafeText =>
  safe`${painted("dim", `[${code}]`)}${known ? " (there before)" : ""}`;

/** Minimum length of the clauses that stay on the first line when a problem is cut. Less would say too little. */
const minClause = 20;

function clausesIn(text: string, room: number): string {
  if (text.length <= room) return text;
  const ends = [...text.matchAll(/(?<=[.:;]) /g)].map(({ index }) => index);
  return text.slice(0, ends.findLast((index) => index >= minClause && index <= room) ?? 0);
}

type Terminal = Readonly<{ width: number; linesOf(file: string): readonly string[] }>;

/** Returns an issue as one or more lines. With `terminal`, the line of the file with the issue is included. */
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

/** Returns `file:line:column: `, the form of compilers that editors can read; empty if the issue has no file. */
export function placeText({ file, line, column }: Issue): string {
  return file === undefined ? "" : `${file}:${line ?? 1}:${column ?? 1}: `;
}

/** Returns the text of an issue on one line, without its place and severity. */
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

/** Sorts issues by file, line and column. Issues without a file are later, and `known` issues last. */
export function inOrder<Any extends PrintedIssue>(issues: readonly Any[]): readonly Any[] {
  return issues.toSorted((a, b) => {
    const [file, line, column] = placeKeys(a);
    const [otherFile, otherLine, otherColumn] = placeKeys(b);
    const known = Number(a.known ?? false) - Number(b.known ?? false);
    return known || byCodeUnit(file, otherFile) || line - otherLine || column - otherColumn;
  });
}

/** Prints each issue once on standard error, in order. Returns exit code 1 if there is an error, otherwise 0. */
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
