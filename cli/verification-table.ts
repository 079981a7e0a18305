import { styleText } from "node:util";
import { needsAttention, type Verification } from "#shared/shell/verify.ts";
import { type Cell, table } from "./table.ts";

/** Of a long list of differences a table shows the beginning; the other formats have all. */
const mostDifferences = 20;

function shownDifferences(differences: readonly string[]): readonly string[] {
  const more = differences.length - mostDifferences;
  return more > 0 ? [...differences.slice(0, mostDifferences), `and ${more} more`] : differences;
}

function summary(verifications: readonly Verification[]): string {
  if (verifications.length === 0) return "There is nothing here that a function keeps in order.\n";
  const differing = verifications.filter(({ differs }) => differs);
  if (differing.length === 0)
    return verifications.some(needsAttention)
      ? "Nothing differs, but objects have errors: standard error tells them.\n"
      : "The hub holds what it should.\n";
  return `Something differs in ${[...new Set(differing.map((one) => one.function))].join(", ")}.\n`;
}

/** The verifications for a person: a row for each thing with its differences below, then what would be written. */
export function verificationTable(
  verifications: readonly Verification[],
  stream: NodeJS.WriteStream,
): string {
  const heading = (text: string): Cell => ({ text, paint: (shown) => styleText("bold", shown, { stream }) });
  const verdict = (text: string, differs: boolean): Cell => ({
    text,
    paint: (shown) => styleText(differs ? "yellow" : "green", shown, { stream }),
  });
  const rows = verifications.flatMap((one) =>
    one.decisions.flatMap(
      ({ subject, owner = "hubrelay", verdict: text, reason, differences = [] }): (readonly Cell[])[] => [
        [one.function, subject, owner, verdict(text, differences.length > 0), reason],
        ...shownDifferences(differences).map((difference) => ["", `  ${difference}`]),
      ],
    ),
  );
  const writes = verifications.flatMap((one) =>
    one.writes.map(({ verb, object, reason }) => [one.function, verb, object, reason]),
  );
  const parts = [
    rows.length > 0 ? table([["FUNCTION", "WHAT", "OWNER", "STATE", "WHY"].map(heading), ...rows]) : "",
    writes.length > 0 ? table([["FUNCTION", "WOULD", "OBJECT", "WHY"].map(heading), ...writes]) : "",
    summary(verifications),
  ];
  return parts.filter(Boolean).join("\n");
}
