import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type Bundle, bundleFunction, functionNames } from "./bundle/bundle.ts";
import { succeeded } from "./command.ts";
import { paths } from "./paths.ts";
import { installedTool } from "./tool-folder.ts";

/**
 * Builds one artifact per function and the CloudFormation template, with the options of osls. Needs no network once
 * `tools/osls` is installed, and never an account.
 */
export async function packageStack(options: readonly string[]): Promise<void> {
  const bundles: Bundle[] = [];
  for (const name of await functionNames()) bundles.push(await bundleFunction(name));
  print(sizes(bundles));
  const template = await makeCloudFormation(options);
  print(`CloudFormation: ${relative(paths.root, template)}`);
}

/** Deploys what `packageStack` has built, and shows the progress. Options and environment are those of osls. */
export async function deployStack(options: readonly string[]): Promise<void> {
  const args = [await osls(), "deploy", "--package", packaged, ...options];
  const child = spawn(process.execPath, args, { cwd: paths.root, stdio: "inherit" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error("The stack was not deployed.");
}

/** Returns the options of osls for those of a user: `--hub NAME` is a parameter of the stack. */
export function stackOptions(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (args[index - 1] === "--hub") return [`hub=${arg}`];
    return arg === "--hub" ? ["--param"] : [arg.replace(/^--hub=/, "--param=hub=")];
  });
}

/** Runs a program of `npm run`; a failure is one line. */
export async function runOrFail(program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

const packaged = relative(paths.root, paths.cloudformation);

const osls = async () => join(await installedTool("osls", print), "node_modules/osls/bin/serverless.js");

async function makeCloudFormation(options: readonly string[]): Promise<string> {
  const args = [await osls(), "package", "--package", packaged, ...options];
  await succeeded(process.execPath, args, { cwd: paths.root });
  const template = join(paths.cloudformation, "cloudformation-template-update-stack.json");
  if (!existsSync(template)) throw new Error(`osls wrote no ${template}`);
  return template;
}

function sizes(bundles: readonly Bundle[]): string {
  const rows = bundles.map(({ name, bundleBytes, zipBytes, packages }) => [
    name,
    kilobytes(bundleBytes),
    kilobytes(zipBytes),
    packages.filter((item) => !/^@(aws|smithy)/.test(item)).join(" "),
  ]);
  const table = [["FUNCTION", "BUNDLE", "ZIP", "PACKAGES, WITHOUT THE AWS SDK"], ...rows];
  const width = (column: number) => Math.max(...table.map((row) => row[column]?.length ?? 0));
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(width(column)))
        .join("   ")
        .trimEnd(),
    )
    .join("\n");
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
