import { type Command, Option } from "commander";
import { commandAction } from "../../program/command-action.ts";
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

/** Adds the processes of a deployment: forwarder, queue worker and resync tick. */
export function addProcessCommands(hubrelay: Command): void {
  hubrelay
    .command("forward")
    .description("watch the hub and send every change that affects a function to its queue, until SIGTERM")
    .addOption(functionOption())
    .addOption(
      new Option(
        "--lease <namespace/name>",
        "leader election with this Lease: of several forwarders, only the holder works",
      ).env("HUBRELAY_LEASE"),
    )
    .addOption(portOption())
    .addHelpText(
      "after",
      `${environmentHelp}\n\nExamples:\n  hubrelay forward --lease hubrelay/hubrelay-forwarder --port 8080`,
    )
    .action(commandAction(async () => (await import("./forward.ts")).forward));

  hubrelay
    .command("work")
    .description("run the functions on the messages in their queues, until SIGTERM")
    .addOption(functionOption())
    .addOption(
      new Option("--concurrency <n>", "batches of a function handled at the same time")
        .argParser(wholeNumber(1, 100))
        .default(2),
    )
    .addOption(portOption())
    .addHelpText(
      "after",
      `${environmentHelp}\n\nExamples:\n  hubrelay work --port 8080\n  hubrelay work --function mirror-config --concurrency 4`,
    )
    .action(commandAction(async () => (await import("./work.ts")).work));

  hubrelay
    .command("resync")
    .description(
      "send a reference to each object that a function reconciles, once, to make up for lost events",
    )
    .addOption(functionOption())
    .addHelpText("after", environmentHelp)
    .action(commandAction(async () => (await import("./resync.ts")).resync));
}
