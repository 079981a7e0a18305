import { setTimeout as sleep } from "node:timers/promises";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { UsageError } from "../program/exit-codes.ts";
import { printIssues } from "./issue-text.ts";
import { onOneConnection } from "./live-hub.ts";
import { clearScreen, print, type SafeText } from "./safe-text.ts";

/** The result of a command. `exitCode` is absent if the issues decide the exit code. */
export type Result = Readonly<{
  text: SafeText;
  issues: readonly Issue[];
  exitCode?: number;
  /** True if the result cannot change any more. Then `--watch` ends. */
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

/** Prints a result and its issues. With `watch`, prints again after each change. Returns the exit code. */
export async function printResult(
  find: () => Promise<Result>,
  { filename, watch = false }: ResultOptions,
  pause: () => Promise<unknown> = () => sleep(watchMs),
): Promise<number> {
  if (!watch) return printOnce(await find());
  if (filename) throw new UsageError("--watch has no effect with -f, which reads no hub.");
  return onOneConnection(() => follow(find, pause));
}
