import { Option } from "commander";
import type { CliCommand } from "../../program/command.ts";
import { wholeNumber } from "../../program/option-values.ts";
import { outputOption } from "../../program/options.ts";

const queueOption = () => new Option("--queue <name>", "only the dead letters of this queue");

const queuesHelp =
  "\nThe queues are those of HUBRELAY_QUEUE_URLS; their redrive policies name the dead-letter queues.";
const environmentHelp = `${queuesHelp}
SQS hides a message from other consumers while it is read; hubrelay makes it visible again at the end.`;

/** Adds the commands about dead letters, which are messages that no function could handle. */
export function addQueueCommands(hubrelay: CliCommand): void {
  const dlq = hubrelay.command("dlq").description("show dead letters and put them back into their queues");

  dlq
    .command("list")
    .description("list dead letters by reason, with their number and age")
    .addOption(queueOption())
    .option("--limit <n>", "dead letters to read of each queue", wholeNumber(1, 100_000), 1_000)
    .addOption(outputOption())
    .closingHelp(environmentHelp)
    .runs(async () => (await import("./dlq.ts")).listDeadLetters);

  dlq
    .command("replay")
    .description("move dead letters back into the queues that they came from")
    .addOption(queueOption())
    .option("--all", "the dead letters of all queues")
    .addOption(outputOption())
    .closingHelp(
      `${queuesHelp}\nTheir server moves the messages (StartMessageMoveTask of SQS); hubrelay reports how many were moved.\n\nExamples:\n  hubrelay dlq replay --queue mirror-configs`,
    )
    .runs(async () => (await import("./dlq.ts")).replay);
}
