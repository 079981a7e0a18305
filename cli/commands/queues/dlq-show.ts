import { deadLetterAttributes } from "#shared/domain/plan/dead-letter.ts";
import { parseHubEvent } from "#shared/domain/plan/hub-event.ts";
import { age } from "#shared/domain/text/human-readable.ts";
import type { ReceivedMessage } from "#shared/ports/queue.ts";
import { scanQueue } from "#shared/runtime/scan-queue.ts";
import { lines, print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { table } from "../../io/table.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { deadLetterOf, deadLetterQueues, type QueuePair } from "./dead-letters.ts";

export type ShowOptions = Readonly<{ queue?: string; output: "table" | StructuredFormat }>;

/** The most dead letters of a queue to search. */
const maxSearched = 10_000;

async function find(
  pairs: readonly QueuePair[],
  id: string,
): Promise<Readonly<{ pair: QueuePair; message: ReceivedMessage }>> {
  for (const pair of pairs) {
    let found: ReceivedMessage | undefined;
    await scanQueue(pair.deadLetters, maxSearched, (messages) => {
      found = messages.find((message) => message.id === id);
      return found !== undefined;
    });
    if (found) return { pair, message: found };
  }
  const where = pairs.map(({ deadLetters }) => deadLetters.name).join(", ");
  throw new UsageError(
    `no such dead letter in ${where}: ${id}. A message that another process has read is hidden for up to five minutes.`,
  );
}

/** Anybody can have sent the message: credentials in it are redacted. */
function detailsOf(pair: QueuePair, message: ReceivedMessage) {
  const { attributes } = message;
  const parsed = parseHubEvent(message.body);
  return {
    queue: pair.name,
    deadLetterQueue: pair.deadLetters.name,
    ...deadLetterOf(message),
    function: attributes[deadLetterAttributes.function],
    messageId: attributes[deadLetterAttributes.messageId],
    receiveCount: message.receiveCount,
    event: parsed.ok ? parsed.event : undefined,
    unreadable: parsed.ok ? undefined : parsed.reason,
    body: message.body,
  };
}

function asText(details: ReturnType<typeof detailsOf>, now: Date): SafeText {
  const sent = `${details.sentAt} (${age(new Date(details.sentAt), now)} ago)`;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Id", details.id],
    ["Queue", details.queue],
    ["Dead-letter queue", details.deadLetterQueue],
    ["Reason", details.reason],
    ["Given up by", details.function],
    ["Id in the queue", details.messageId],
    ["Sent", sent],
    ["Received", `${details.receiveCount} times`],
    ["About", details.subject],
    ["Type", details.event?.type],
    ["Not readable", details.unreadable],
  ];
  const known = rows.flatMap(([label, value]) => (value === undefined ? [] : [[`${label}:`, value]]));
  return safe`${table(known)}\n${lines(details.body)}\n`;
}

/** Runs `hubrelay dlq show`: prints a dead letter with its subject and reason. */
export async function showDeadLetter(id: string, { queue, output }: ShowOptions): Promise<number> {
  const details = await inEnvironment(async () => {
    const { pair, message } = await find(await deadLetterQueues(queue), id);
    return detailsOf(pair, message);
  });
  print(rendered(details, output, (clean) => asText(clean, new Date())));
  return exitCodes.fine;
}
