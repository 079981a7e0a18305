import { ofHostedClusters, ofPrecaching, ofReadiness, ofWindows } from "./fleet-codes.ts";
import { ofFilesAndObjects, ofMirrors } from "./mirror-codes.ts";

type Severity = "error" | "warning" | "either";

/**
 * The severity and meaning of each code. A value that only an API server or a node refuses is an error in manifests,
 * and a warning in objects that a hub has stored.
 */
type IssueRows = Readonly<Record<string, `${Severity}: ${string}`>>;

/** The keys are the sections of the page about issues. A code never changes its meaning. */
const sections = {
  "Files and objects": ofFilesAndObjects,
  Mirrors: ofMirrors,
  "Pre-caching": ofPrecaching,
  "Readiness and import": ofReadiness,
  "Maintenance windows": ofWindows,
  "Hosted clusters": ofHostedClusters,
} as const satisfies Readonly<Record<string, IssueRows>>;

type Sections = typeof sections;

export type IssueCode = { [Title in keyof Sections]: keyof Sections[Title] }[keyof Sections];

/** Every issue code, in the order of the page about issues. */
export const issueCodes = Object.entries(sections).flatMap(([section, rows]) =>
  Object.entries(rows).map(([code, row]) => {
    const [, severity = "", meaning = ""] = /^(\w+): (.+)$/.exec(row) ?? [];
    return { code, section, severity, meaning };
  }),
);

/** Reports whether a text is the code of an issue. */
export function isIssueCode(text: string): text is IssueCode {
  return Object.values(sections).some((rows) => Object.hasOwn(rows, text));
}

/** The codes of all issues. */
export const issueCodeNames: readonly IssueCode[] = issueCodes.map(({ code }) => code).filter(isIssueCode);
