import { sentence } from "../credentials/redact.ts";
import { explanation, type Issue, placesOf } from "../issues/issue.ts";
import { displayName } from "../kubernetes/object.ts";
import type { ManifestText } from "../manifests/issue-places.ts";
import { type AcceptanceComment, acceptanceComments } from "./acceptance-comments.ts";
import { matchesPath } from "./path-pattern.ts";
import { type AcceptanceSetting, hasPassed, type Settings } from "./settings.ts";

/** An issue that does not count until the end of a day. */
export type AcceptedIssue = Issue & Readonly<{ accepted: Readonly<{ until: string; reason: string }> }>;

/** The issues of a check that count, and those that are accepted. */
export type JudgedIssues = Readonly<{ issues: readonly Issue[]; accepted: readonly AcceptedIssue[] }>;

/** What decides which issues count. */
export type Judge = Readonly<{
  settings: Settings;
  /** The files whose comments count. */
  texts: readonly ManifestText[];
  /** Returns the path of a file from the root of its repository. */
  pathOf(file: string): string;
  now: Date;
}>;

type Acceptance = Readonly<{ until: string; reason: string; covers(issue: Issue): boolean }>;

const ofComment = ({ code, file, line, until, reason }: AcceptanceComment): Acceptance => ({
  until,
  reason,
  covers: (issue) =>
    issue.code === code && placesOf(issue).some((at) => at.file === file && at.line === line),
});

const ofSetting = (
  { code, paths, object, until, reason }: AcceptanceSetting,
  pathOf: Judge["pathOf"],
): Acceptance => ({
  until,
  reason,
  covers: (issue) =>
    issue.code === code &&
    (!paths ||
      placesOf(issue).some(({ file }) => paths.some((pattern) => matchesPath(pattern, pathOf(file))))) &&
    (object === undefined || displayName(issue.object) === object),
});

const withEnd = (issue: Issue, { until, reason }: Acceptance): Issue => ({
  ...issue,
  message: sentence`${explanation({ ...issue, remedy: "" })} It was accepted until ${until}: ${reason}`,
});

/** Returns issues with the severities of the settings. */
export function withSeverities(issues: readonly Issue[], { severities }: Settings): readonly Issue[] {
  const chosen = new Map(severities.map(({ code, severity }) => [code, severity]));
  return issues.map((issue) => ({ ...issue, severity: chosen.get(issue.code) ?? issue.severity }));
}

/**
 * Returns the issues that count, with the severities of the settings, and those that a comment at their place or the settings
 * accept. After the last day of an acceptance an issue counts again, and says so. Comments that cannot be read are errors.
 */
export function judgedIssues(found: readonly Issue[], { settings, texts, pathOf, now }: Judge): JudgedIssues {
  const read = texts.map(acceptanceComments);
  const acceptances = [
    ...read.flatMap(({ comments }) => comments.map(ofComment)),
    ...settings.accept.map((one) => ofSetting(one, pathOf)),
  ];
  const issues: Issue[] = [];
  const accepted: AcceptedIssue[] = [];
  for (const issue of withSeverities(found, settings)) {
    const own = acceptances.filter(({ covers }) => covers(issue));
    const [ended] = own;
    const inForce = own.find(({ until }) => !hasPassed(until, now));
    if (inForce) accepted.push({ ...issue, accepted: { until: inForce.until, reason: inForce.reason } });
    else issues.push(ended ? withEnd(issue, ended) : issue);
  }
  return { issues: [...issues, ...read.flatMap((one) => one.issues)], accepted };
}
