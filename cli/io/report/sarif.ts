import { pathToFileURL } from "node:url";
import { type Coverage, coverageLines } from "#shared/domain/issues/coverage.ts";
import type { Issue, RelatedPlace } from "#shared/domain/issues/issue.ts";
import { issueCodes } from "#shared/domain/issues/issue-codes.ts";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { displayName } from "#shared/domain/kubernetes/object.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { issueSentences } from "../issue-text.ts";
import { pathInRepository, type ValidationReport } from "./validation-report.ts";

const issuePage = `${packageJson.homepage.replace(/#.*$/s, "")}/blob/main/docs/reference/issues.md`;

/** GitHub makes anchors from headings in this way. */
const helpUri = (section: string) => `${issuePage}#${section.toLowerCase().replaceAll(" ", "-")}`;

const sentence = (clause: string) => `${clause.slice(0, 1).toUpperCase()}${clause.slice(1)}.`;

function ruleOf(code: string) {
  const unknown = { section: "", severity: "error", meaning: code };
  const { section, severity, meaning } = issueCodes.find((one) => one.code === code) ?? unknown;
  return {
    id: code,
    shortDescription: { text: sentence(meaning) },
    fullDescription: { text: sentence(meaning) },
    // GitHub requires a help text.
    help: { text: sentence(meaning) },
    helpUri: helpUri(section),
    defaultConfiguration: { level: severity === "warning" ? "warning" : "error" },
    properties: { tags: [section] },
  };
}

function artifactOf(file: string) {
  const path = pathInRepository(file);
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return { uri: pathToFileURL(file).href };
  return { uri: path.split("/").map(encodeURIComponent).join("/"), uriBaseId: "%SRCROOT%" };
}

function locationOf({ object, path, file, line = 1, column = 1 }: Issue) {
  const physical = file !== undefined && {
    physicalLocation: {
      artifactLocation: artifactOf(file),
      // A region without an end ends at the end of its line.
      region: { startLine: line, startColumn: column },
    },
  };
  const name = [displayName(object), path].filter((part) => part !== "").join(" ");
  return { ...physical, logicalLocations: [{ fullyQualifiedName: name }] };
}

const relatedLocation = ({ file, line = 1 }: RelatedPlace) => ({
  physicalLocation: { artifactLocation: artifactOf(file), region: { startLine: line } },
});

function invocationOf(coverage: Coverage) {
  const notes = coverageLines(coverage).map((text) => ({ level: "note", message: { text } }));
  return { executionSuccessful: true, toolExecutionNotifications: notes };
}

/** Renders a report as a SARIF 2.1.0 log. Each code of an issue is a rule. */
export function sarifLog({ issues, coverage }: Pick<ValidationReport, "issues" | "coverage">) {
  const codes = [...new Set(issues.map(({ code }) => code))].sort(byCodeUnit);
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "hubrelay",
            version: packageJson.version,
            informationUri: packageJson.homepage,
            rules: codes.map((code) => ruleOf(code)),
          },
        },
        columnKind: "utf16CodeUnits",
        invocations: [invocationOf(coverage)],
        properties: { coverage },
        results: issues.map((issue) => ({
          ruleId: issue.code,
          ruleIndex: codes.indexOf(issue.code),
          level: issue.severity,
          message: { text: issueSentences(issue) },
          locations: [locationOf(issue)],
          ...(issue.related ? { relatedLocations: issue.related.map(relatedLocation) } : {}),
        })),
      },
    ],
  };
}
