import { type Coverage, coverageLines } from "#shared/domain/issues/coverage.ts";
import { type SafeText, safe } from "../safe-text.ts";

/** Renders what a result does not cover, below it; nothing for a complete coverage. */
export function coverageText(coverage: Coverage): SafeText {
  const found = coverageLines(coverage);
  return found.length === 0 ? safe`` : safe`\n${found.map((line) => safe`${line}\n`)}`;
}

/** Returns `text` with the coverage of what it renders below it. */
export function withCoverage<Found>(
  text: (found: Found) => SafeText,
): (found: Found & Readonly<{ coverage: Coverage }>) => SafeText {
  return (found) => safe`${text(found)}${coverageText(found.coverage)}`;
}
