import { type Command, Option } from "commander";
import { collect, wholeNumber } from "../../program/option-values.ts";

const queueOption = () => new Option("--queue <name>", "only the dead letters of this queue");
const outputOption = () =>
  new Option("-o, --output <format>", "how the answer is written")
    .choices(["table", "json", "yaml"])
    .default("table");

const environmentHelp =
  "\nThe queues are those of HUBRELAY_QUEUE_URLS; where their dead letters are, their redrive policies say." +
  "\nSQS shows a message only by hiding it from others for a while: what was looked at is given back in the end.";

/** Adds the commands for messages that no function could handle. */
export function addQueueCommands(hubrelay: Command): void {
  const dlq = hubrelay.command("dlq").description("look at dead letters and put them back into their queues");

  dlq
    .command("list")
    .description("how many dead letters there are, why, and since when")
    .addOption(queueOption())
    .addOption(
      new Option("--limit <n>", "dead letters of a queue that are looked at")
        .argParser(wholeNumber(1, 100_000))
        .default(1_000),
    )
    .addOption(outputOption())
    .addHelpText("after", environmentHelp)
    .action(async (options) => {
      const { listDeadLetters } = await import("./dlq-list.ts");
      process.exitCode = await listDeadLetters(options);
    });

  dlq
    .command("show")
    .description("one dead letter: what it is about, and why it is one")
    .argument("<id>", "its id, as dlq list shows it")
    .addOption(queueOption())
    .addOption(outputOption())
    .addHelpText("after", environmentHelp)
    .action(async (id, options) => {
      const { showDeadLetter } = await import("./dlq-show.ts");
      process.exitCode = await showDeadLetter(id, options);
    });

  dlq
    .command("replay")
    .description("put dead letters back into the queues that they came from")
    .addOption(queueOption())
    .addOption(new Option("--id <id>", "only this one; repeatable").argParser(collect))
    .option("--all", "all of them")
    .option("--dry-run", "only tell which")
    .addOption(outputOption())
    .addHelpText(
      "after",
      `${environmentHelp}\n\nExamples:\n  hubrelay dlq replay --queue mirror-configs --all --dry-run`,
    )
    .action(async (options) => {
      const { replay } = await import("./dlq-replay.ts");
      process.exitCode = await replay(options);
    });
}
