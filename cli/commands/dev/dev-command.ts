import { Option } from "commander";
import type { CliCommand } from "../../program/command.ts";
import { UsageError } from "../../program/exit-codes.ts";
import { wholeNumber } from "../../program/option-values.ts";

export function addDevCommand(hubrelay: CliCommand): void {
  hubrelay
    .command("dev")
    .description("run the whole system on this machine, with a folder as the hub and queues in the process")
    .option(
      "--hub <dir>",
      "working folder that serves as the hub; with --simulate, an empty one for the hub's objects at the end",
      "hub",
    )
    .option(
      "--from <dir>",
      "manifests to start with when the working folder is empty (default: the examples)",
    )
    .option("--once", "exit after the first round")
    .option("--no-console", "serve no pages about the hub to browsers on this machine")
    .option(
      "--events",
      "print outcome events on standard output, a line of JSON each; the log on standard error",
    )
    .addOption(
      new Option(
        "--update-graph <file>",
        "file with an update graph (Cincinnati JSON), which has the release images; no server is queried",
      ).env("HUBRELAY_UPDATE_GRAPH"),
    )
    .addOption(
      new Option(
        "--simulate <n>",
        "pre-cache on this number of simulated clusters instead, on a hub in memory, until all have ended",
      )
        .argParser(wholeNumber(1, 10_000))
        .conflicts(["from", "once", "events"]),
    )
    .option(
      "--seed <n>",
      "seed of the simulation: which clusters fail, are slow, or stay offline",
      wholeNumber(0, 4_294_967_295),
      1,
    )
    .closingHelp(
      "\nExamples:\n  hubrelay dev\n  hubrelay dev --hub my-hub --from manifests/ --once\n  hubrelay dev --update-graph stable-4.20.json\n  hubrelay dev --simulate 500\n  hubrelay dev --simulate 200 --hub night\n  hubrelay dev --from examples/fleet --events | jq .type",
    )
    .action(async (options, command: CliCommand) => {
      const isGiven = (name: string) => command.getOptionValueSource(name) === "cli";
      if (isGiven("seed") && !isGiven("simulate")) throw new UsageError("--seed needs --simulate.");
      if (isGiven("updateGraph") && isGiven("simulate"))
        throw new UsageError("--update-graph cannot be used with --simulate.");
      if (options.simulate !== undefined) {
        const { simulateFleet } = await import("./dev-simulate.ts");
        process.exitCode = await simulateFleet({ ...options, hub: isGiven("hub") ? options.hub : undefined });
        return;
      }
      const { dev } = await import("./dev.ts");
      process.exitCode = await dev(options);
    });
}
