import { setTimeout } from "node:timers/promises";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { deadLettersUrlOf } from "#shared/adapters/sqs/queue-settings.ts";
import { isRunning, type Redrive, startRedrive } from "#shared/adapters/sqs/redrive.ts";
import { sqsClient, sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { deadLetterReason } from "#shared/domain/plan/dead-letter.ts";
import { parseHubEvent } from "#shared/domain/plan/hub-event.ts";
import { age, counted } from "#shared/domain/text/human-readable.ts";
import type { Queue, ReceivedMessage } from "#shared/ports/queue.ts";
import { scanQueue } from "#shared/runtime/scan-queue.ts";
import { print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { tableWithHeadings } from "../../io/table.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";

/** A queue with its dead-letter queue. `name` is the name in HUBRELAY_QUEUE_URLS, not SQS's name. */
export type QueuePair = Readonly<{
  name: string;
  deadLetters: Queue;
  /** Starts to move all dead letters back to the queue. Returns a function that reads the progress. */
  startRedrive(): Promise<() => Promise<Redrive>>;
}>;

/** Throws `UsageError` if two queues have the same dead-letter queue: a message in it could be from either queue. */
function refuseShared(pairs: readonly QueuePair[]): void {
  for (const [index, { name, deadLetters }] of pairs.entries()) {
    const other = pairs.slice(0, index).find((pair) => pair.deadLetters.url === deadLetters.url);
    if (other)
      throw new UsageError(
        `The queues ${other.name} and ${name} share the dead-letter queue ${deadLetters.name}; give each its own.`,
      );
  }
}

/** Returns the queues of HUBRELAY_QUEUE_URLS with their dead-letter queues; only the queue `named` if it is set. */
export async function deadLetterQueues(named: string | undefined): Promise<readonly QueuePair[]> {
  const urls = queueUrls(process.env);
  if (named !== undefined && !urls.names.includes(named))
    throw new UsageError(`no such queue: ${named}; queues of HUBRELAY_QUEUE_URLS: ${urls.names.join(", ")}`);
  const sqs = sqsClient(awsConnection(process.env));
  const all = await Promise.all(
    urls.names.map(async (name): Promise<QueuePair> => {
      const url = urls.of(name);
      const deadLetters = sqsQueue(sqs, await deadLettersUrlOf(sqs, url));
      return { name, deadLetters, startRedrive: () => startRedrive(sqs, deadLetters.url, url) };
    }),
  );
  refuseShared(all);
  return all.filter(({ name }) => named === undefined || name === named);
}

type DeadLetter = Readonly<{
  id: string;
  reason: string;
  subject: string | undefined;
  sentAt: string;
}>;

function deadLetterOf({ id, body, attributes, sentAt }: ReceivedMessage): DeadLetter {
  const parsed = parseHubEvent(body);
  return {
    id,
    reason: deadLetterReason(attributes),
    subject: parsed.ok ? parsed.event.subject : undefined,
    sentAt: sentAt.toISOString(),
  };
}

type ListOptions = Readonly<{ queue?: string; limit: number; output: "table" | StructuredFormat }>;

/** The dead letters of a queue. `total` is SQS's own count, which is approximate. */
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
      const { sentAt, subject, id, reason } = oldest;
      return [[queue, String(group.length), age(new Date(sentAt), now), subject ?? id, reason]];
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
  const headings = ["QUEUE", "COUNT", "OLDEST", "ABOUT", "REASON"];
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

type ReplayOptions = Readonly<{
  queue?: string;
  all?: boolean;
  output: "table" | StructuredFormat;
}>;

/** The longest wait for the end of a move. A few dead letters are moved within this time; many may take hours. */
const waitSeconds = 10;

type Move = Redrive & Readonly<{ queue: string }>;

function line(move: Move): SafeText {
  const { queue, status, moved, failure } = move;
  const so = safe`${queue}: ${counted(moved, "dead letter")} moved`;
  if (isRunning(move))
    return safe`${so} so far; the move goes on. Run the command again to see its progress.\n`;
  if (status === "COMPLETED") return safe`${so}.\n`;
  return safe`${so}, then the move ended as ${status}${failure === undefined ? "" : safe`: ${failure}`}.\n`;
}

/** Runs `hubrelay dlq replay`: the queues' server moves dead letters back to their queues. */
export async function replay({ queue, all = false, output }: ReplayOptions): Promise<number> {
  if (all === (queue !== undefined)) throw new UsageError("either --queue or --all is required");
  const moves = await inEnvironment(async () => {
    const pairs = await deadLetterQueues(queue);
    const started = await Promise.all(
      pairs.map(async ({ name, startRedrive }) => ({ name, state: await startRedrive() })),
    );
    const read = () =>
      Promise.all(
        started.map(async ({ name, state }): Promise<Move> => ({ queue: name, ...(await state()) })),
      );
    let states = await read();
    for (let second = 0; second < waitSeconds && states.some(isRunning); second++) {
      await setTimeout(1000);
      states = await read();
    }
    return states;
  });
  print(rendered({ moves }, output, (clean) => safe`${clean.moves.map(line)}`));
  const isFine = moves.every((move) => isRunning(move) || move.status === "COMPLETED");
  return isFine ? exitCodes.fine : exitCodes.issues;
}
