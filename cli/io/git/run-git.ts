import { execFile } from "node:child_process";
import { maxFileSize } from "#shared/adapters/file-errors.ts";
import { redactForeign } from "#shared/domain/credentials/redact.ts";
import { fieldsOf } from "#shared/domain/json/values.ts";
import { UsageError } from "../../program/exit-codes.ts";

type Options = Readonly<{ cwd?: string; input?: string; option: string }>;

/**
 * Runs the `git` on the PATH and returns what it prints. Throws `UsageError`, which names the `option` of hubrelay that
 * needs it, where git is not installed or fails.
 */
export function runGit(args: readonly string[], { cwd, input = "", option }: Options): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = {
      ...(cwd === undefined ? {} : { cwd }),
      encoding: "buffer",
      maxBuffer: 4 * maxFileSize,
    } as const;
    const child = execFile("git", args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const isMissing = fieldsOf(error).code === "ENOENT";
      const reason = stderr.toString().trim().split("\n").at(-1) || error.message;
      const problem = isMissing ? "there is no git on the PATH" : redactForeign(reason);
      reject(new UsageError(`${option}: ${problem}`, { cause: error }));
    });
    child.stdin?.on("error", () => undefined); // git's own failure says why
    child.stdin?.end(input);
  });
}

/** Returns the items of a list that git has separated by NUL. */
export const itemsOf = (list: Buffer): readonly string[] => list.toString().split("\0").filter(Boolean);
