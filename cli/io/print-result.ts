import { setTimeout as sleep } from "node:timers/promises";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { UsageError } from "../program/exit-codes.ts";
import { printIssues } from "./issue-text.ts";
import { clearScreen, print, type SafeText } from "./safe-text.ts";

/** What a command found; `exitCode` where it is not that of the issues. */
export type Result = Readonly<{ text: SafeText; issues: readonly Issue[]; exitCode?: number }>;

export type ResultOptions = Readonly<{
  /** Absent: the live hub. */
  filename?: readonly string[];
  watch?: boolean;
  issues: "text" | "json";
}>;

const watchMs = 2_000;

/**
 * Prints a result on standard output and its issues on standard error; with `watch` again after each change, in place on
 * a terminal, until the process is ended. Returns the exit code.
 */
export async function printResult(
  find: () => Promise<Result>,
  { filename, watch = false, issues: format }: ResultOptions,
  pause: () => Promise<unknown> = () => sleep(watchMs),
): Promise<number> {
  if (watch && filename) throw new UsageError("--watch has no effect with -f, which reads no hub.");
  let last: string | undefined;
  for (;;) {
    const { text, issues, exitCode } = await find();
    const next = JSON.stringify([text.toString(), issues]);
    if (next !== last) {
      if (watch && process.stdout.isTTY) print(clearScreen);
      const code = printIssues(issues, format);
      print(text);
      if (!watch) return exitCode ?? code;
    }
    last = next;
    await pause();
  }
}
