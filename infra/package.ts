import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type Bundle, bundleFunction, functionNames } from "./bundle.ts";
import { succeeded } from "./command.ts";
import { paths } from "./paths.ts";
import { installedTool } from "./tool-folder.ts";

/**
 * Runs `npm run package [-- --stage S --region R --param KEY=VALUE]`: builds one artifact per function and the
 * CloudFormation template. Needs no network once `tools/osls` is installed, and never an account.
 */
async function main(options: readonly string[]): Promise<void> {
  const bundles: Bundle[] = [];
  for (const name of await functionNames()) bundles.push(await bundleFunction(name));
  print(sizes(bundles));
  const osls = await installedTool("osls", print);
  const template = await makeCloudFormation(osls, options);
  print(`CloudFormation: ${relative(paths.root, template)}`);
}

async function makeCloudFormation(osls: string, options: readonly string[]): Promise<string> {
  const serverless = join(osls, "node_modules/osls/bin/serverless.js");
  const args = [serverless, "package", "--package", relative(paths.root, paths.cloudformation), ...options];
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

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
