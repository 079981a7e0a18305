import { issueCodes } from "#shared/domain/issues/issue-codes.ts";
import { issueFixes } from "#shared/domain/issues/issue-fixes.ts";
import { table, withGeneratedPart } from "./generated-part.ts";

const fixes: Readonly<Record<string, string>> = issueFixes;

/** Returns the page about issues with its tables of codes replaced. */
export function withIssueTables(page: string): string {
  const sections = Object.entries(issueCodes).map(([title, codes]) => {
    const rows = Object.entries(codes).map(([code, { severity, meaning }]) => [
      `\`${code}\``,
      severity === "either" ? "error or warning" : severity,
      meaning,
      fixes[code] ?? "",
    ]);
    return `## ${title}\n\n${table(["code", "severity", "meaning", "fix"], rows)}`;
  });
  return withGeneratedPart(page, sections.join("\n\n"));
}
