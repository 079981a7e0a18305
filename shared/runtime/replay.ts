import { deadLetterAttributes, replayedAttributes } from "../domain/events/dead-letter.ts";
import type { Queue, ReceivedMessage } from "../ports/queue.ts";
import { scanQueue } from "./scan-queue.ts";

export type ReplayOptions = Readonly<{
  deadLetters: Queue;
  queue: Queue;
  isWanted: (message: ReceivedMessage) => boolean;
  /** Reports whether these are all that are wanted. */
  isEnough: (replayed: number) => boolean;
  now: Date;
  /** Only reports what would be replayed. */
  isDryRun: boolean;
}>;

export type Replay = Readonly<{
  replayed: readonly ReceivedMessage[];
  /** Messages that were received and stay hidden for some minutes. */
  hidden: number;
}>;

/**
 * Moves dead letters back into their queue. A message is sent before it is deleted: after a kill in between it exists
 * twice, which is harmless, and it is never lost. A message that returns while the replay runs stays: replaying it
 * again would never end.
 */
export async function replayDeadLetters({
  deadLetters,
  queue,
  isWanted,
  isEnough,
  now,
  isDryRun,
}: ReplayOptions): Promise<Replay> {
  const at = now.toISOString();
  const replayed: ReceivedMessage[] = [];
  const hasReturned = ({ attributes }: ReceivedMessage) =>
    (attributes[deadLetterAttributes.replayed] ?? "") >= at;

  const { hidden } = await scanQueue(deadLetters, Number.POSITIVE_INFINITY, async (messages) => {
    const chosen = messages.filter((message) => isWanted(message) && !hasReturned(message));
    replayed.push(...chosen);
    if (isDryRun) return { gone: [], isEnough: isEnough(replayed.length) };
    await queue.send(
      chosen.map(({ body, attributes }) => ({ body, attributes: replayedAttributes(attributes, at) })),
    );
    await deadLetters.delete(chosen.map(({ receiptHandle }) => receiptHandle));
    return { gone: chosen, isEnough: isEnough(replayed.length) };
  });
  return { replayed, hidden };
}
