import { coverageLines } from "#shared/domain/issues/coverage.ts";
import { errorsOf, hasErrors, type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import { issueText } from "../issue-text.ts";
import { pathInRepository, type ValidationReport } from "./validation-report.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
};

function xml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 does not allow them, not even escaped
      .replaceAll(/[\0-\x08\v\f\r\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
      .replaceAll(/[&<>"\n\t]/g, (character) => ownValue(entities, character) ?? character)
  );
}

const systemOut = (output: string): string =>
  output === "" ? "" : `<system-out>${xml(output)}</system-out>`;

type Subject = Readonly<{ object: Issue["object"]; files: readonly string[] }>;

function testCase({ object, files }: Subject, issues: readonly Issue[]): string {
  const textsOf = (severity: Issue["severity"]) =>
    issues.filter((issue) => issue.severity === severity).map((issue) => issueText(issue).toString());
  const errors = textsOf("error");
  const [first] = errorsOf(issues);
  const { file = files.at(-1), line } = first ?? issues[0] ?? {};
  // GitLab reads only one failure of a test.
  const message = errors.length > 1 ? counted(errors.length, "error") : (first?.message ?? "");
  const failure = first
    ? `<failure type="${first.code}" message="${xml(message)}">${xml(errors.join("\n"))}</failure>`
    : "";
  const place = file === undefined ? "" : ` file="${xml(pathInRepository(file))}"`;
  const atLine = line === undefined ? "" : ` line="${line}"`;
  const warnings = systemOut(textsOf("warning").join("\n"));
  return `    <testcase classname="${xml(object.kind)}" name="${xml(displayName({ ...object, kind: "" }))}"${place}${atLine} time="0">${failure}${warnings}</testcase>\n`;
}

/** Renders a report as JUnit XML: a test for each checked object, and for each file or other object with issues. */
export function junitXml({ issues, checked, coverage }: ValidationReport): string {
  const subjects = checked.map(({ object, files }) => ({ object: redactTexts(issueObject(object)), files }));
  const byName = Map.groupBy(subjects, ({ object }) => displayName(object));
  // An issue of a rendered object may be in another file than the object: in a patch or in the values of Helm.
  const subjectOf = ({ object, file = "" }: Issue): Subject | undefined => {
    const same = byName.get(displayName(object)) ?? [];
    return same.find(({ files }) => files.includes(file)) ?? same[0];
  };
  const ofSubjects = Map.groupBy(issues, subjectOf);
  const others = Map.groupBy(
    ofSubjects.get(undefined) ?? [],
    ({ object, file }) => `${displayName(object)}\n${file}`,
  );
  const tests = [
    ...subjects.map((subject) => [subject, ofSubjects.get(subject) ?? []] as const),
    ...[...others.values()].flatMap((same) =>
      same.slice(0, 1).map((one) => [{ ...one, files: [] }, same] as const),
    ),
  ];
  const cases = tests.map(([subject, own]) => testCase(subject, own));
  const failures = tests.filter(([, own]) => hasErrors(own)).length;
  const counts = `name="hubrelay validate" tests="${cases.length}" failures="${failures}" errors="0" skipped="0" time="0"`;
  const uncovered = systemOut(coverageLines(coverage).join("\n"));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n  <testsuite ${counts}>\n${cases.join("")}${uncovered && `    ${uncovered}\n`}  </testsuite>\n</testsuites>\n`;
}
