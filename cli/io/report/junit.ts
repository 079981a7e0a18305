import { type Coverage, coverageLines } from "#shared/domain/issues/coverage.ts";
import { errorsOf, type Issue, issueObject } from "#shared/domain/issues/issue.ts";
import { ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import { issueText } from "../issue-text.ts";
import type { ValidationReport } from "./validation-report.ts";
import { pathInRepository } from "./validation-report.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** Escapes a text for an attribute or an element. Characters that XML cannot contain become U+FFFD. */
function xml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 does not allow them, escaped neither
      .replaceAll(/[\0-\x08\v\f\r\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
      .replaceAll(/[&<>"\n\t]/g, (character) => ownValue(entities, character) ?? character)
  );
}

/** One test of a report; `failure` and output are absent if there are none. */
export type JunitCase = Readonly<{
  className: string;
  name: string;
  file?: string | undefined;
  line?: number | undefined;
  failure?: Readonly<{ type: string; message: string; text: string }> | undefined;
  output?: string;
}>;

function element({ className, name, file, line, failure, output = "" }: JunitCase): string {
  const failed = failure
    ? `<failure type="${xml(failure.type)}" message="${xml(failure.message)}">${xml(failure.text)}</failure>`
    : "";
  const place = file === undefined ? "" : ` file="${xml(pathInRepository(file))}"`;
  const atLine = line === undefined ? "" : ` line="${line}"`;
  return `    <testcase classname="${xml(className)}" name="${xml(name)}"${place}${atLine} time="0">${failed}${systemOut(output)}</testcase>\n`;
}

const systemOut = (output: string): string =>
  output === "" ? "" : `<system-out>${xml(output)}</system-out>`;

/** Renders tests as JUnit XML, with their coverage gaps as output of the suite. */
export function junitSuite(
  suite: string,
  cases: readonly JunitCase[],
  coverages: readonly Coverage[],
): string {
  const failures = cases.filter(({ failure }) => failure).length;
  const counts = `name="${xml(suite)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="0" time="0"`;
  const uncovered = systemOut(coverages.flatMap(coverageLines).join("\n"));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n  <testsuite ${counts}>\n${cases.map(element).join("")}${uncovered && `    ${uncovered}\n`}  </testsuite>\n</testsuites>\n`;
}

/** An object, or a file with issues that belong to no object. */
type Subject = Readonly<{ className: string; name: string; file: string | undefined }>;

const nameOf = (object: Issue["object"]): string => displayName({ ...object, kind: "" });

function caseOf(subject: Subject, issues: readonly Issue[]): JunitCase {
  const textsOf = (severity: Issue["severity"]) =>
    issues.filter((issue) => issue.severity === severity).map((issue) => issueText(issue).toString());
  const errors = textsOf("error");
  const [first] = errorsOf(issues);
  return {
    ...subject,
    line: issues.find((issue) => issue.file === subject.file)?.line,
    failure: first && {
      type: first.code,
      // GitLab reads only one failure of a test.
      message: errors.length === 1 ? first.message : counted(errors.length, "error"),
      text: errors.join("\n"),
    },
    output: textsOf("warning").join("\n"),
  };
}

/** Renders a report as JUnit XML: a test for each object, and one for each file or other object with own issues. */
export function junitXml({ issues, checked, coverage }: ValidationReport): string {
  const keyOf = ({ className, name, file = "" }: Subject) => [className, name, file].join("\n");
  const subjectOf = (object: Issue["object"], file: string | undefined): Subject => ({
    className: object.kind,
    name: nameOf(object),
    file,
  });
  const bySubject = Map.groupBy(issues, ({ object, file }) => keyOf(subjectOf(object, file)));
  const subjects = new Map<string, Subject>();
  for (const { object, file } of checked) {
    const one = subjectOf(redactTexts(issueObject(object)), file);
    subjects.set(keyOf(one), one);
  }
  for (const { object, file } of issues) {
    const one = subjectOf(object, file);
    subjects.set(keyOf(one), one);
  }
  const cases = [...subjects].map(([key, one]) => caseOf(one, bySubject.get(key) ?? []));
  return junitSuite("hubrelay validate", cases, [coverage]);
}
