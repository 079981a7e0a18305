import { styleText } from "node:util";
import type { Check } from "./doctor/check.ts";
import { type Cell, table } from "./table.ts";

const colours = { ok: "green", note: "yellow", problem: "red" } as const;

function summary(checks: readonly Check[]): string {
  const problems = checks.filter(({ state }) => state === "problem").length;
  if (problems === 0) return "No problem was found.\n";
  return problems === 1 ? "There is 1 problem.\n" : `There are ${problems} problems.\n`;
}

/** The checks for a person: a row each, with the remedy below. */
export function doctorTable(checks: readonly Check[], stream: NodeJS.WriteStream): string {
  const heading = (text: string): Cell => ({ text, paint: (shown) => styleText("bold", shown, { stream }) });
  const rows = checks.flatMap(({ name, state, found, remedy }): (readonly Cell[])[] => {
    const painted = { text: state, paint: (text: string) => styleText(colours[state], text, { stream }) };
    return [[name, painted, found], ...(remedy ? [["", "", `→ ${remedy}`]] : [])];
  });
  return `${table([["CHECK", "STATE", "FOUND"].map(heading), ...rows])}\n${summary(checks)}`;
}
