/*
 * npm run mutation [-- --mutate shared/domain/images/scope.ts] [-- --force]
 *
 * Mutates the parts of the domain and the decisions of the functions that stryker.config.ts lists, with Stryker, and
 * reports the mutants that no test kills. Results of unchanged files are kept in .cache; --force runs all again. The
 * report is reports/mutation/index.html. Exit status 1 when the score is below the threshold.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { paths } from "../../infra/paths.ts";
import { installedTool } from "../../infra/tool-folder.ts";
import { testCode } from "./stryker.config.ts";

const folder = await installedTool("mutation", console.warn);
const stryker = join(folder, "node_modules/@stryker-mutator/core/bin/stryker.js");
// Named files replace those of the configuration, but not its exclusions.
const given = process.argv
  .slice(2)
  .map((arg, index, all) => (all[index - 1] === "--mutate" ? [arg, ...testCode].join(",") : arg));
const args = [stryker, "run", join(folder, "stryker.config.ts"), ...given];
const child = spawn(process.execPath, args, { cwd: paths.root, stdio: "inherit" });
const [code] = await once(child, "close");
process.exitCode = code ?? 1;
