import { counted } from "#shared/domain/text/human-readable.ts";
import { replayDeadLetters } from "#shared/runtime/replay.ts";
import { print, printMessage, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { tableWithHeadings } from "../../io/table.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { type DeadLetter, deadLetterOf, deadLetterQueues } from "./dead-letters.ts";

export type ReplayOptions = Readonly<{
  queue?: string;
  id?: readonly string[];
  all?: boolean;
  dryRun?: boolean;
  output: "table" | StructuredFormat;
}>;

/** A message that was replayed, or would be. */
type Row = DeadLetter & Readonly<{ queue: string }>;

function report(rows: readonly Row[], isDryRun: boolean): SafeText {
  if (rows.length === 0) return safe`Nothing to replay.\n`;
  const lines = rows.map(({ queue, id, subject, reason }) => [queue, id, subject ?? "unreadable", reason]);
  const count = counted(rows.length, "message");
  const done = isDryRun ? `${count} would be replayed.` : `${count} replayed.`;
  return safe`${tableWithHeadings(["QUEUE", "ID", "ABOUT", "REASON"], lines)}${done}\n`;
}

/** Runs `hubrelay dlq replay`: puts dead letters back into their source queues. */
export async function replay(options: ReplayOptions): Promise<number> {
  const { queue, id: ids = [], all = false, dryRun: isDryRun = false, output } = options;
  if (all === ids.length > 0) throw new UsageError("either --id (repeatable) or --all is required");
  const wanted = new Set(ids);
  const rows: Row[] = [];
  const rejected: SafeText[] = [];
  let hidden = 0;
  await inEnvironment(async () => {
    for (const pair of await deadLetterQueues(queue)) {
      const missing = wanted.size;
      if (!all && missing === 0) break;
      const result = await replayDeadLetters({
        deadLetters: pair.deadLetters,
        queue: pair.queue,
        isWanted: (message) => all || wanted.has(message.id),
        isEnough: (found) => !all && found === missing,
        now: new Date(),
        isDryRun,
      });
      for (const message of result.replayed) {
        wanted.delete(message.id);
        rows.push({ queue: pair.name, ...deadLetterOf(message) });
      }
      for (const { message, error } of result.rejected) {
        wanted.delete(message.id);
        rejected.push(safe`${message.id} is not replayed and stays: ${error.message}`);
      }
      hidden += result.hidden;
    }
  });
  print(rendered({ replayed: rows, dryRun: isDryRun }, output, (clean) => report(clean.replayed, isDryRun)));
  if (hidden > 0)
    printMessage(
      safe`${counted(hidden, "message")} that ${hidden === 1 ? "was read stays" : "were read stay"} hidden for up to five minutes.`,
    );
  for (const message of rejected) printMessage(message);
  if (wanted.size === 0) return rejected.length === 0 ? exitCodes.fine : exitCodes.issues;
  printMessage(safe`no such dead letter: ${[...wanted].join(", ")}`);
  return exitCodes.usage;
}
