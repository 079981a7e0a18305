import { age, counted } from "#shared/domain/text/human-readable.ts";
import { scanQueue } from "#shared/runtime/scan-queue.ts";
import { print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { tableWithHeadings } from "../../io/table.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes } from "../../program/exit-codes.ts";
import { type DeadLetter, deadLetterOf, deadLetterQueues, type QueuePair } from "./dead-letters.ts";

export type ListOptions = Readonly<{ queue?: string; limit: number; output: "table" | StructuredFormat }>;

/** The dead letters of one queue. `total` is SQS's own count, which is approximate. */
type Listing = Readonly<{
  queue: string;
  deadLetterQueue: string;
  total: number;
  messages: readonly DeadLetter[];
}>;

async function listingOf({ name, deadLetters }: QueuePair, limit: number): Promise<Listing> {
  const { visible, inFlight } = await deadLetters.depth();
  const messages: DeadLetter[] = [];
  await scanQueue(deadLetters, limit, (some) => {
    messages.push(...some.map(deadLetterOf));
    return false;
  });
  const total = Math.max(visible + inFlight, messages.length);
  return { queue: name, deadLetterQueue: deadLetters.name, total, messages };
}

function rowsOf({ queue, messages }: Listing, now: Date): readonly (readonly string[])[] {
  const byReason = [...Map.groupBy(messages, ({ reason }) => reason).values()];
  return byReason
    .sort((a, b) => b.length - a.length)
    .flatMap((group) => {
      const [oldest] = group.toSorted((a, b) => (a.sentAt < b.sentAt ? -1 : 1));
      if (!oldest) return [];
      return [
        [queue, String(group.length), age(new Date(oldest.sentAt), now), oldest.id, oldest.reason] as const,
      ];
    });
}

function summary({ queue, total, messages }: Listing): SafeText {
  if (total === 0) return safe`${queue} has no dead letters.\n`;
  if (messages.length === 0)
    return safe`${queue}: ${counted(total, "dead letter")}, all hidden: another process has read them within the last five minutes.\n`;
  if (messages.length < total)
    return safe`${queue}: ${counted(total, "dead letter")}, of which ${messages.length} were read.\n`;
  return safe``;
}

function listingsText(listings: readonly Listing[], now: Date): SafeText {
  const rows = listings.flatMap((listing) => rowsOf(listing, now));
  const headings = ["QUEUE", "COUNT", "OLDEST", "ID OF OLDEST", "REASON"];
  return safe`${rows.length > 0 ? tableWithHeadings(headings, rows) : ""}${listings.map(summary)}`;
}

/** Runs `hubrelay dlq list`: prints the dead letters by reason, with their number and age. */
export async function listDeadLetters({ queue, limit, output }: ListOptions): Promise<number> {
  const listings = await inEnvironment(async () => {
    const pairs = await deadLetterQueues(queue);
    return Promise.all(pairs.map((pair) => listingOf(pair, limit)));
  });
  print(rendered({ queues: listings }, output, ({ queues }) => listingsText(queues, new Date())));
  return exitCodes.fine;
}
