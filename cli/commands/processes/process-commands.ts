import { type Command, Option } from "commander";
import { collect, wholeNumber } from "../../program/option-values.ts";

const functionOption = () =>
  new Option("--function <name>", "only this function; repeatable").argParser(collect);
const portOption = () =>
  new Option("--port <port>", "serve /healthz, /readyz and /metrics on this port")
    .env("HUBRELAY_PORT")
    .argParser(wholeNumber(0, 65_535));

const environmentHelp =
  "\nThe hub and the queues are named by the environment: HUBRELAY_HUB, HUBRELAY_QUEUE_URLS, AWS_REGION and what" +
  "\ndocs/reference-environment.md tells besides.";

/** Adds the commands that stand between a hub's API and the queues: the processes of a deployment, and its tick. */
export function addProcessCommands(hubrelay: Command): void {
  hubrelay
    .command("forward")
    .description("watch the hub and send every change that concerns a function to its queue, until SIGTERM")
    .addOption(functionOption())
    .addOption(
      new Option(
        "--lease <namespace/name>",
        "work only while holding this Lease, so that of several forwarders one works",
      ).env("HUBRELAY_LEASE"),
    )
    .addOption(portOption())
    .addHelpText(
      "after",
      `${environmentHelp}\n\nExamples:\n  hubrelay forward --lease hubrelay/forwarder --port 8080`,
    )
    .action(async (options) => {
      const { forward } = await import("./forward.ts");
      process.exitCode = await forward(options);
    });

  hubrelay
    .command("work")
    .description("run the functions on the messages of their queues, until SIGTERM")
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
    .action(async (options) => {
      const { work } = await import("./work.ts");
      process.exitCode = await work(options);
    });

  hubrelay
    .command("resync")
    .description(
      "send a reference for everything that a function keeps in order, once: for events that were lost",
    )
    .addOption(functionOption())
    .addHelpText("after", environmentHelp)
    .action(async (options) => {
      const { resync } = await import("./resync.ts");
      process.exitCode = await resync(options);
    });
}
