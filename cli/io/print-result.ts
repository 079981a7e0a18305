import { setTimeout as sleep } from "node:timers/promises";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { UsageError } from "../program/exit-codes.ts";
import { printIssues } from "./issue-text.ts";
import { onOneConnection } from "./live-hub.ts";
import { clearScreen, print, type SafeText } from "./safe-text.ts";

/** The result of a command. It has an `exitCode` only if that differs from the exit code for the issues. */
export type Result = Readonly<{
  text: SafeText;
  issues: readonly Issue[];
  exitCode?: number;
  /** True if the result cannot change any more, which ends watching. */
  isFinal?: boolean;
}>;

export type ResultOptions = Readonly<{
  /** Paths of `-f`; absent for the live hub. */
  filename?: readonly string[];
  watch?: boolean;
}>;

const watchMs = 2_000;

function printOnce({ text, issues, exitCode }: Result): number {
  const code = printIssues(issues);
  print(text);
  return exitCode ?? code;
}

/** Prints a result again after each change, until it is final. Returns the exit code. */
async function follow(find: () => Promise<Result>, pause: () => Promise<unknown>): Promise<number> {
  let last: string | undefined;
  let code = 0;
  for (;;) {
    const result = await find();
    const next = JSON.stringify([result.text.toString(), result.issues]);
    if (next !== last) {
      if (process.stdout.isTTY) print(clearScreen);
      code = printOnce(result);
    }
    last = next;
    if (result.isFinal) return code;
    await pause();
  }
}

/**
 * Prints a result on standard output and its issues on standard error. With `watch`, prints again after each change until
 * the result is final or the process ends; on a terminal, each output replaces the last. Returns the exit code.
 */
export async function printResult(
  find: () => Promise<Result>,
  { filename, watch = false }: ResultOptions,
  pause: () => Promise<unknown> = () => sleep(watchMs),
): Promise<number> {
  if (!watch) return printOnce(await find());
  if (filename) throw new UsageError("--watch has no effect with -f, which reads no hub.");
  return onOneConnection(() => follow(find, pause));
}
