import { Option } from "commander";
import type { CliCommand } from "../../program/command.ts";
import { collect, wholeNumber } from "../../program/option-values.ts";

const functionOption = () =>
  new Option("--function <name>", "only this function; repeatable").argParser(collect);
const portOption = () =>
  new Option("--port <port>", "serve /healthz, /readyz and /metrics on this port")
    .env("HUBRELAY_PORT")
    .argParser(wholeNumber(0, 65_535));

const environmentHelp =
  "\nThe environment sets hub and queues: HUBRELAY_HUB, HUBRELAY_QUEUE_URLS, AWS_REGION and others; see" +
  "\ndocs/reference/environment.md.";

const concurrencyOption = () =>
  new Option("--concurrency <n>", "batches of a function handled at the same time")
    .argParser(wholeNumber(1, 100))
    .default(2);
const leaseOption = (process: string) =>
  new Option(
    "--lease <namespace/name>",
    `leader election with this Lease: of several ${process}, only the holder works`,
  ).env("HUBRELAY_LEASE");

/** Adds the commands that start a deployment's processes, such as the forwarder. */
export function addProcessCommands(hubrelay: CliCommand): void {
  hubrelay
    .command("forward")
    .description("watch the hub and send every change that affects a function to its queue, until SIGTERM")
    .addOptions(functionOption(), leaseOption("forwarders"), portOption())
    .closingHelp(
      `${environmentHelp}\n\nExamples:\n  hubrelay forward --lease hubrelay/hubrelay-forwarder --port 8080`,
    )
    .runs(async () => (await import("./forward.ts")).forward);

  hubrelay
    .command("work")
    .description("run the functions on the messages in their queues, until SIGTERM")
    .addOptions(functionOption(), concurrencyOption(), portOption())
    .closingHelp(
      `${environmentHelp}\n\nExamples:\n  hubrelay work --port 8080\n  hubrelay work --function mirror-config --concurrency 4`,
    )
    .runs(async () => (await import("./work.ts")).work);

  hubrelay
    .command("run")
    .description("forwarder, functions, ticks and queues in one process, without a broker, until SIGTERM")
    .addOptions(functionOption(), concurrencyOption(), leaseOption("such processes"))
    .option(
      "--accounts <namespace>",
      "act as the ServiceAccounts hubrelay-forwarder, hubrelay-resync and hubrelay-FUNCTION of this namespace, whom the process must be permitted to impersonate",
    )
    .addOption(portOption())
    .addOption(
      new Option("--queue-port <port>", "where hubrelay dlq finds the queues on this machine; any by default")
        .env("HUBRELAY_QUEUE_PORT")
        .argParser(wholeNumber(0, 65_535))
        .default(0),
    )
    .closingHelp(
      "\nThe environment sets hub and outcomes: HUBRELAY_HUB, HUBRELAY_OUTCOME_SINKS and others; see" +
        "\ndocs/reference/environment.md." +
        "\n\nExamples:\n  hubrelay run --lease hubrelay/hubrelay-forwarder --port 8080\n  hubrelay run --function mirror-config",
    )
    .runs(async () => (await import("./run.ts")).run);

  hubrelay
    .command("resync")
    .description(
      "send a reference to each object that a function reconciles, once, to make up for lost events; hosted clusters only when something has changed, or every three hours",
    )
    .addOption(functionOption())
    .option("--all", "send one to hosted clusters without changes too")
    .closingHelp(environmentHelp)
    .runs(async () => (await import("./resync.ts")).resync);
}
