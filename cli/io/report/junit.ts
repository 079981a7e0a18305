import type { Issue } from "#shared/domain/issues/issue.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import { issueText } from "../issue-text.ts";
import { pathInRepository } from "./repository-path.ts";
import { counted, type ValidationReport } from "./validation-report.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** Escapes a text for an attribute or an element. What XML cannot contain at all becomes U+FFFD. */
function xml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 does not allow them, escaped neither
      .replaceAll(/[\0-\x08\v\f\r\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
      .replaceAll(/[&<>"\n\t]/g, (character) => entities[character] ?? character)
  );
}

/** One test: an object, or a file with issues that belong to no object that was read. */
type TestCase = Readonly<{ className: string; name: string; file: string | undefined }>;

const nameOf = (object: Issue["object"]): string => displayName({ ...object, kind: "" });

function element({ className, name, file }: TestCase, issues: readonly Issue[]): string {
  const texts = issues.map((issue) => ({ severity: issue.severity, text: issueText(issue).toString() }));
  const errors = texts.filter(({ severity }) => severity === "error").map(({ text }) => text);
  const warnings = texts.filter(({ severity }) => severity === "warning").map(({ text }) => text);
  const [first] = issues.filter(({ severity }) => severity === "error");
  // GitLab reads only one failure of a test.
  const message = errors.length === 1 ? (first?.message ?? "") : counted(errors.length, "error");
  const failure = first
    ? `<failure type="${xml(first.code)}" message="${xml(message)}">${xml(errors.join("\n"))}</failure>`
    : "";
  const output = warnings.length > 0 ? `<system-out>${xml(warnings.join("\n"))}</system-out>` : "";
  const place = file === undefined ? "" : ` file="${xml(pathInRepository(file))}"`;
  const line = issues.find((issue) => issue.file === file)?.line;
  const atLine = line === undefined ? "" : ` line="${line}"`;
  return `    <testcase classname="${xml(className)}" name="${xml(name)}"${place}${atLine} time="0">${failure}${output}</testcase>\n`;
}

/** Renders a report as JUnit XML: a test for each object, and for each file or other object with issues of its own. */
export function junitXml({ issues, checked }: ValidationReport): string {
  const keyOf = ({ className, name, file = "" }: TestCase) => [className, name, file].join("\n");
  const caseOf = (object: Issue["object"], file: string | undefined): TestCase => ({
    className: object.kind,
    name: nameOf(object),
    file,
  });
  const byCase = Map.groupBy(issues, ({ object, file }) => keyOf(caseOf(object, file)));
  const cases = new Map<string, TestCase>();
  for (const { object, file } of checked) {
    const one = caseOf({ kind: object.kind, ...object.metadata }, file);
    cases.set(keyOf(one), one);
  }
  for (const { object, file } of issues) {
    const one = caseOf(object, file);
    cases.set(keyOf(one), one);
  }
  const failed = [...byCase.values()].filter((some) => some.some(({ severity }) => severity === "error"));
  const counts = `name="hubrelay validate" tests="${cases.size}" failures="${failed.length}" errors="0" skipped="0" time="0"`;
  const tests = [...cases].map(([key, one]) => element(one, byCase.get(key) ?? []));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n  <testsuite ${counts}>\n${tests.join("")}  </testsuite>\n</testsuites>\n`;
}
