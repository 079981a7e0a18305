import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { bundleFunction, functionNames } from "./bundle/bundle.ts";
import { paths } from "./paths.ts";
import { templateProblem } from "./template-problem.ts";
import { installedTool } from "./tool-folder.ts";

const folder = relative(paths.root, paths.cloudformation);

/** Builds an archive for each function, and the CloudFormation template. Throws if a function could not start. */
export async function packageStack(options: readonly string[]): Promise<void> {
  for (const name of await functionNames()) await bundleFunction(name);
  await osls(["package", "--package", folder, ...options.filter((option) => option !== "--force")]);
  const template = join(folder, "cloudformation-template-update-stack.json");
  const problem = templateProblem(JSON.parse(await readFile(join(paths.root, template), "utf8")));
  if (problem) throw new Error(problem);
  print(`CloudFormation: ${template}`);
}

/** Builds a stack, and then creates or updates the stack on AWS. */
export async function deployStack(options: readonly string[]): Promise<void> {
  await packageStack(options);
  await osls(["deploy", "--package", folder, ...options]);
}

/** Deletes a stack, with the content of its bucket. */
export async function removeStack(options: readonly string[]): Promise<void> {
  await osls(["remove", ...options]);
}

async function osls(args: readonly string[]): Promise<void> {
  const program = join(await installedTool("osls", print), "node_modules/osls/bin/serverless.js");
  const child = spawn(process.execPath, [program, ...args], { cwd: paths.root, stdio: "inherit" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`osls ${args[0]} failed.`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
