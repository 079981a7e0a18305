import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { maxFileSize } from "#shared/adapters/file-errors.ts";
import { redactForeign } from "#shared/domain/credentials/redact.ts";
import { fieldsOf, textOf } from "#shared/domain/json/values.ts";
import { UsageError } from "../program/exit-codes.ts";
import type { RenderedFolder, Renderer } from "../program/rendered-argument.ts";

const run = promisify(execFile);

/** What renders a folder, with its arguments before the folder: the first one that is installed. */
const renderers = {
  kustomize: [
    ["kustomize", "build"],
    ["kubectl", "kustomize"],
  ],
  helm: [["helm", "template"]],
} as const satisfies Readonly<Record<Renderer, readonly (readonly string[])[]>>;

const isNotInstalled = (error: unknown): boolean => fieldsOf(error).code === "ENOENT";

/** Returns the last line that a program has written about its failure. */
function reasonOf(error: unknown): string {
  const { stderr, message } = fieldsOf(error);
  const lines = (textOf(stderr) || textOf(message) || "").trim().split("\n");
  return redactForeign(lines.at(-1) ?? "");
}

/** Returns the manifests that a program makes of a folder. Throws `UsageError` where it is not installed, or fails. */
export async function render({ program, folder }: RenderedFolder): Promise<string> {
  // A folder is no option, whatever its name.
  const path = folder.startsWith("-") ? `./${folder}` : folder;
  for (const [command, ...args] of renderers[program]) {
    try {
      return (await run(command, [...args, path], { maxBuffer: maxFileSize })).stdout;
    } catch (error) {
      if (isNotInstalled(error)) continue;
      throw new UsageError(`${[command, ...args, folder].join(" ")} failed: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }
  const names = renderers[program].map(([command]) => command).join(" or ");
  const [[command, ...args]] = renderers[program];
  throw new UsageError(
    `${folder} is not rendered: there is no ${names} on the PATH. Install it, or pipe what it prints elsewhere: ${[command, ...args, folder].join(" ")} | hubrelay validate -f -`,
  );
}
