import { painted, type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";
import type { Check } from "./checks/check.ts";

const colours = { ok: "green", note: "yellow", problem: "red" } as const;

function summary(checks: readonly Check[]): SafeText {
  const problems = checks.filter(({ state }) => state === "problem").length;
  if (problems === 0) return safe`No problem was found.\n`;
  return problems === 1 ? safe`There is 1 problem.\n` : safe`There are ${problems} problems.\n`;
}

/** The checks for a person: a row each, with the remedy below. */
export function doctorTable(checks: readonly Check[]): SafeText {
  const heading = (text: string): Cell => painted("bold", text);
  const rows = checks.flatMap(({ name, state, found, remedy }): (readonly Cell[])[] => {
    return [[name, painted(colours[state], state), found], ...(remedy ? [["", "", `→ ${remedy}`]] : [])];
  });
  return safe`${table([["CHECK", "STATE", "FOUND"].map(heading), ...rows])}\n${summary(checks)}`;
}
