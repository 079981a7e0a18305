import { type Migration, proveMigration } from "#shared/domain/mirrors/convert/convert-proof.ts";
import { printIssues } from "../../io/issue-text.ts";
import { print, safe } from "../../io/safe-text.ts";
import { rendered } from "../../io/structured-output.ts";
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
  // The text is the YAML format's: nothing reads it.
  const isData = output === "json";
  print(
    rendered(
      { changes, old: old.length, made: made.length },
      isData ? "json" : "text",
      (clean) =>
        safe`${clean.changes.map(({ step, lines }) => safe`Nodes change by ${step}:\n${lines.map((line) => safe`${line}\n`)}`)}`,
    ),
  );
  printIssues(refusals, format);
  if (changes.length > 0 || refusals.length > 0) return exitCodes.issues;
  if (!isData)
    print(
      safe`No node changes: the files are the same with the old objects (${old.length}), with old and new ones together, and with only the new ones (${made.length}).\n`,
    );
  return exitCodes.fine;
}
