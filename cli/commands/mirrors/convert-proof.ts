import { type Migration, proveMigration } from "#shared/domain/mirrors/convert/convert-proof.ts";
import { tellIssues } from "../../io/issue-text.ts";
import { print, safe } from "../../io/safe-text.ts";
import { exitCodes } from "../../program/exit-codes.ts";

/** Prints the proof that a migration touches no node, or what it would change. Answers the exit code. */
export function tellProof(migration: Migration, format: "text" | "json"): number {
  const { old, made } = migration;
  // Nothing was read that could be migrated, and that has been told.
  if (old.length === 0) return exitCodes.issues;
  const { changes, refusals } = proveMigration(migration);
  for (const { step, lines } of changes)
    print(safe`Nodes are touched by ${step}:\n${lines.map((line) => safe`${line}\n`)}`);
  tellIssues(refusals, format);
  if (changes.length > 0 || refusals.length > 0) return exitCodes.issues;
  print(
    safe`No node is touched: their files are the same with the old objects (${old.length}), with old and new ones together, and with the new ones alone (${made.length}).\n`,
  );
  return exitCodes.fine;
}
