import { type Migration, proveMigration } from "#shared/domain/mirrors/convert/convert-proof.ts";
import { printIssues } from "../../io/issue-text.ts";
import { print, safe } from "../../io/safe-text.ts";
import { structured } from "../../io/structured-output.ts";
import { exitCodes } from "../../program/exit-codes.ts";

/** Prints the proof that a migration changes no node, or what it would change. Returns the exit code. */
export function printProof(
  migration: Migration,
  { issues: format, output }: Readonly<{ issues: "text" | "json"; output: "yaml" | "json" }>,
): number {
  const { old, made } = migration;
  // Nothing to migrate, which was reported when the input was read.
  if (old.length === 0) return exitCodes.issues;
  const { changes, refusals } = proveMigration(migration);
  if (output === "json") print(structured({ changes, old: old.length, made: made.length }, "json"));
  else
    for (const { step, lines } of changes)
      print(safe`Nodes change by ${step}:\n${lines.map((line) => safe`${line}\n`)}`);
  printIssues(refusals, format);
  if (changes.length > 0 || refusals.length > 0) return exitCodes.issues;
  if (output !== "json")
    print(
      safe`No node changes: the files are the same with the old objects (${old.length}), with old and new ones together, and with only the new ones (${made.length}).\n`,
    );
  return exitCodes.fine;
}
