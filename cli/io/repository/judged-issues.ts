import { fileIssue, fileStart } from "#shared/domain/issues/file-issues.ts";
import { explanation, type Issue, placesOf } from "#shared/domain/issues/issue.ts";
import { type IssueCode, isIssueCode, issueCodeNames } from "#shared/domain/issues/issue-codes.ts";
import { nearestName } from "#shared/domain/issues/nearest-name.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import type { ManifestText } from "#shared/domain/manifests/issue-places.ts";
import { isCalendarDay } from "#shared/domain/text/calendar-day.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { type AcceptanceSetting, hasPassed, matchesPath, type Settings, settingsFile } from "./settings.ts";

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

/** A comment alone on its line applies to the next line that is neither empty nor a comment. */
function targetOf(lines: readonly string[], index: number): number {
  if (!isComment(lines[index] ?? "")) return index;
  const next = lines.findIndex((line, at) => at > index && line.trim() !== "" && !isComment(line));
  return next < 0 ? index : next;
}

/** An issue that the settings or a comment accept until the end of the day `until`. */
export type AcceptedIssue = Issue & Readonly<{ accepted: Readonly<{ until: string; reason: string }> }>;

/** The issues of a check. `issues` count; `accepted` do not. */
export type JudgedIssues = Readonly<{
  issues: readonly Issue[];
  accepted: readonly AcceptedIssue[];
  /** The new acceptances of the change, if it may add any, as texts such as `accepts CODE in FILE until DAY`. */
  added: readonly string[];
}>;

type Accepting = Readonly<{
  settings: Settings;
  texts: readonly ManifestText[];
  pathOf(file: string): string;
}>;

/** What decides which issues count: the settings and the comments in the texts. */
export type Judge = Accepting &
  Readonly<{
    now: Date;
    /** The settings and texts before the change; absent if no change is checked. */
    base?: Accepting;
  }>;

type Acceptance = Readonly<{
  /** A text that is equal for the same acceptance before and after a change. */
  id: string;
  code: IssueCode;
  until: string;
  reason: string;
  where: string;
  covers(issue: Issue): boolean;
  at?: Readonly<{ file: string; line: number; column: number }>;
}>;

/** Returns the acceptances that the comments of a file contain, and errors about invalid comments. */
export function acceptanceComments(
  { file, text }: ManifestText,
  pathOf: Accepting["pathOf"],
): Readonly<{ accepted: readonly Acceptance[]; issues: readonly Issue[] }> {
  const accepted: Acceptance[] = [];
  const issues: Issue[] = [];
  if (!text.includes(word)) return { accepted, issues };
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    const found = /(?<before>^|\s)#\s*hubrelay:accept(?![\w-])(?<content>.*)$/.exec(line);
    if (!found) continue;
    const { before = "", content = "" } = found.groups ?? {};
    const at = { line: index + 1, column: found.index + before.length + 1 };
    const read = readComment(content.trim());
    if ("message" in read) {
      issues.push(fileIssue(file, at, content.trim(), { code: "InvalidAcceptance", ...read }));
      continue;
    }
    const { code, until, reason } = read;
    const target = targetOf(lines, index) + 1;
    accepted.push({
      ...read,
      id: JSON.stringify([code, pathOf(file), until, reason, lines[target - 1]?.trim()]),
      where: sentence` in ${pathOf(file)}`,
      at: { file, ...at },
      covers: (issue) =>
        issue.code === code && placesOf(issue).some((place) => place.file === file && place.line === target),
    });
  }
  return { accepted, issues };
}

const ofSetting = (setting: AcceptanceSetting, pathOf: Accepting["pathOf"]): Acceptance => {
  const { code, paths, object, until, reason } = setting;
  const places = [...(paths ?? []), ...(object === undefined ? [] : [object])];
  return {
    id: JSON.stringify([code, paths, object, until, reason]),
    code,
    until,
    reason,
    where: places.length > 0 ? sentence` in ${places.join(", ")}` : " everywhere",
    covers: (issue) =>
      issue.code === code &&
      (!paths ||
        placesOf(issue).some(({ file }) => paths.some((pattern) => matchesPath(pattern, pathOf(file))))) &&
      (object === undefined || displayName(issue.object) === object),
  };
};

function acceptancesOf({ settings, texts, pathOf }: Accepting) {
  const read = texts.map((text) => acceptanceComments(text, pathOf));
  return {
    acceptances: [
      ...read.flatMap(({ accepted }) => accepted),
      ...settings.accept.map((one) => ofSetting(one, pathOf)),
    ],
    issues: read.flatMap((one) => one.issues),
  };
}

const notOfBase = ({ at, code, where }: Acceptance): Issue =>
  fileIssue(at?.file ?? settingsFile, at ?? fileStart, code, {
    code: "InvalidAcceptance",
    message: sentence`The change accepts ${code}${where}, and only acceptances of its base count.`,
    remedy: sentence`Merge the acceptance on its own first: the base has acceptances: base in ${settingsFile}.`,
  });

const withEnd = (issue: Issue, { until, reason }: Pick<Acceptance, "until" | "reason">): Issue => ({
  ...issue,
  message: sentence`${explanation({ ...issue, remedy: "" })} It was accepted until ${until}: ${reason}`,
});

/** Returns the issues with the severities that the settings give to their codes. */
export function withSeverities(issues: readonly Issue[], { severities }: Settings): readonly Issue[] {
  const chosen = new Map(severities.map(({ code, severity }) => [code, severity]));
  return issues.map((issue) => ({ ...issue, severity: chosen.get(issue.code) ?? issue.severity }));
}

/** Divides issues into issues that count and issues that the settings or comments accept. */
export function judgedIssues(found: readonly Issue[], { now, base, ...own }: Judge): JudgedIssues {
  const { acceptances, issues: ofComments } = acceptancesOf(own);
  const known = base && Map.groupBy(acceptancesOf(base).acceptances, ({ id }) => id);
  // An acceptance may occur several times. It is new if it occurs more often than in the base.
  const added = acceptances.filter(({ id }) => known && known.get(id)?.shift() === undefined);
  const isRefused = base?.settings.acceptances === "base";
  const counting = isRefused ? acceptances.filter((one) => !added.includes(one)) : acceptances;
  const issues: Issue[] = [];
  const accepted: AcceptedIssue[] = [];
  for (const issue of withSeverities(found, own.settings)) {
    const covering = counting.filter(({ covers }) => covers(issue));
    const [ended] = covering;
    const inForce = covering.find(({ until }) => !hasPassed(until, now));
    if (inForce) accepted.push({ ...issue, accepted: { until: inForce.until, reason: inForce.reason } });
    else issues.push(ended ? withEnd(issue, ended) : issue);
  }
  return {
    issues: [...issues, ...ofComments, ...(isRefused ? added.map(notOfBase) : [])],
    accepted,
    added: isRefused
      ? []
      : added.map(({ code, where, until }) => sentence`accepts ${code}${where} until ${until}`),
  };
}
