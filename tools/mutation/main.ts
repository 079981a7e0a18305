import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import * as z from "zod";
import { runScript, scriptCommand } from "../../infra/npm-script.ts";
import { paths } from "../../infra/paths.ts";
import { succeeded } from "../../infra/run-program.ts";
import { testCode } from "./stryker.config.ts";

const options = z.object({
  mutate: z.string().optional(),
  concurrency: z.string().optional(),
  force: z.boolean().optional(),
});

await runScript("mutation", async () => {
  const command = scriptCommand("mutation")
    .description(
      "Mutate the domain and the decisions of the functions with Stryker, and report the mutants that no test kills, in reports/mutation/index.html. Takes hours. Exit code 1 if the score is below the threshold.",
    )
    .option(
      "--mutate <patterns>",
      "only these files, e.g. shared/domain/images/scope.ts; commas separate them",
    )
    .option("--concurrency <number>", "how many mutants are tried at once (default: 2)")
    .option("--force", "repeat also what has not changed since the last run");
  const { mutate, concurrency, force } = options.parse(command.parse().opts());
  // Installed in each clone, unlike other tools: Stryker's runner uses the Vitest of the clone.
  const folder = join(paths.tools, "mutation");
  await succeeded("npm", ["ci"], { cwd: folder });
  const args = [
    join(folder, "node_modules/@stryker-mutator/core/bin/stryker.js"),
    "run",
    join(folder, "stryker.config.ts"),
    // These patterns replace all of the configuration's, so its exclusions are added again.
    ...(mutate ? ["--mutate", [mutate, ...testCode].join(",")] : []),
    ...(concurrency ? ["--concurrency", concurrency] : []),
    ...(force ? ["--force"] : []),
  ];
  const child = spawn(process.execPath, args, { cwd: paths.root, stdio: "inherit" });
  const [code] = await once(child, "close");
  process.exitCode = code ?? 1;
});
