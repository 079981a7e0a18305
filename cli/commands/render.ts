import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasErrors, type Issue } from "#shared/domain/issue.ts";
import { writeManifest } from "#shared/domain/kubernetes/manifests.ts";
import { renderMachineConfig } from "#shared/domain/machine-config/machine-config.ts";
import {
  configureMirrors,
  type MirrorConfiguration,
  type MirrorInput,
} from "#shared/domain/mirrors/configuration.ts";
import { exitCodes } from "../exit-codes.ts";
import { tellIssues } from "../issue-text.ts";
import { mirrorInput } from "../mirror-input.ts";
import { UsageError } from "../usage-error.ts";

export type RenderOptions = Readonly<{
  filename: readonly string[];
  output: "registries-conf" | "machine-config" | "json" | "files";
  format: "yaml" | "json";
  pool: string;
  dir?: string;
  strict?: boolean;
  compat?: "mco";
  issues: "text" | "json";
}>;

/** Writes the files below `dir` as they lie on a node, and answers their paths there. */
async function writeTree({ files }: MirrorConfiguration, dir: string): Promise<string> {
  for (const { path, mode, contents } of files) {
    const target = join(dir, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, contents, { mode });
  }
  return files.map(({ path }) => `${join(dir, path)}\n`).join("");
}

async function outputOf(
  { output, format, pool, dir }: RenderOptions,
  configuration: MirrorConfiguration,
  { image }: MirrorInput,
): Promise<string> {
  switch (output) {
    case "registries-conf":
      return configuration.registriesConf;
    case "machine-config": {
      const machineConfig = renderMachineConfig({
        pool,
        files: configuration.files,
        ...(image ? { image } : {}),
      });
      return format === "json" ? `${JSON.stringify(machineConfig, null, 2)}\n` : writeManifest(machineConfig);
    }
    case "json": {
      const { entries, files, applied, leftOut, issues } = configuration;
      return `${JSON.stringify({ entries, files, applied, leftOut, issues }, null, 2)}\n`;
    }
    case "files":
      if (!dir) throw new UsageError("-o files needs --dir DIR, the folder that stands for the node's root.");
      return writeTree(configuration, dir);
  }
}

/**
 * `hubrelay render`: the result on standard output, issues on standard error. With `--strict` or `--compat`
 * a refusal leaves standard output empty; otherwise the refused rules are left out. Answers the exit code.
 */
export async function render(options: RenderOptions): Promise<number> {
  const { filename, strict = false, compat, issues: format } = options;
  if (options.output === "files" && !options.dir)
    throw new UsageError("-o files needs --dir DIR, the folder that stands for the node's root.");
  const { input, issues: unreadable } = await mirrorInput(filename);
  const configuration = configureMirrors(input, { strict, ...(compat ? { compat } : {}) });
  const issues: readonly Issue[] = [...unreadable, ...configuration.issues];
  const exitCode = tellIssues(issues, format);
  const refused = configuration.refused || ((strict || compat !== undefined) && hasErrors(issues));
  if (refused) return exitCodes.issues;
  process.stdout.write(await outputOf(options, configuration, input));
  return exitCode;
}
