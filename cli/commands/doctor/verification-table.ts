import { needsAttention, type Verification } from "#shared/runtime/verify.ts";
import { joined, painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, tableWithHeadings } from "../../io/table.ts";

/** The most differences of one subject in a table; the other formats have all. */
const maxDifferences = 20;

function shownDifferences(differences: readonly string[], isWide: boolean): readonly string[] {
  const more = isWide ? 0 : differences.length - maxDifferences;
  return more > 0 ? [...differences.slice(0, maxDifferences), `and ${more} more`] : differences;
}

function summary(verifications: readonly Verification[], isPartial: boolean): SafeText {
  const differing = verifications.filter(({ differs }) => differs);
  if (differing.length === 0) {
    if (verifications.some(needsAttention))
      return safe`Nothing differs, but objects have errors: see standard error.\n`;
    return isPartial ? safe`Nothing differs in what was compared.\n` : safe`The hub is up to date.\n`;
  }
  return safe`Something differs in ${[...new Set(differing.map((one) => one.function))].join(", ")}.\n`;
}

/** Renders the verifications as tables: each subject with its differences below, then what would be written. */
export function verificationTable(
  verifications: readonly Verification[],
  { isWide = false, isPartial = false }: Readonly<{ isWide?: boolean; isPartial?: boolean }> = {},
): SafeText {
  const rows = verifications.flatMap((one) =>
    one.decisions.flatMap(
      ({ subject, owner = "hubrelay", verdict: text, reason, differences = [] }): (readonly Cell[])[] => [
        [one.function, subject, owner, painted(differences.length > 0 ? "yellow" : "green", text), reason],
        ...shownDifferences(differences, isWide).map((difference) => ["", `  ${difference}`]),
      ],
    ),
  );
  const writes = verifications.flatMap((one) =>
    one.writes.map(({ verb, object, reason }) => [one.function, verb, object, reason]),
  );
  const parts = [
    rows.length > 0 ? tableWithHeadings(["FUNCTION", "WHAT", "OWNER", "STATE", "WHY"], rows) : safe``,
    writes.length > 0 ? tableWithHeadings(["FUNCTION", "WOULD", "OBJECT", "WHY"], writes) : safe``,
    summary(verifications, isPartial),
  ];
  return joined(
    parts.filter(({ width }) => width > 0),
    safe`\n`,
  );
}
