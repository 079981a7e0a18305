import { deadLetterAttributes, replayedAttributes } from "../domain/events/dead-letter.ts";
import type { Queue, ReceivedMessage } from "../ports/queue.ts";
import { scanQueue } from "./scan-queue.ts";

export type ReplayOptions = Readonly<{
  deadLetters: Queue;
  /** Where they came from. */
  queue: Queue;
  /** Which are to be replayed. */
  isWanted: (message: ReceivedMessage) => boolean;
  /** True when this many are all that are wanted. */
  isEnough: (replayed: number) => boolean;
  now: Date;
  /** Only tells what would be replayed. */
  isDry: boolean;
}>;

export type Replay = Readonly<{
  replayed: readonly ReceivedMessage[];
  /** Messages that were looked at and come again only after some minutes. */
  hidden: number;
}>;

/**
 * Puts dead letters back into their queue. A message is sent before it is deleted, so one that is killed in
 * between is there twice, which is harmless, and never lost. What comes back while the replay runs stays where it
 * is: trying it again would never end.
 */
export async function replayDeadLetters({
  deadLetters,
  queue,
  isWanted,
  isEnough,
  now,
  isDry,
}: ReplayOptions): Promise<Replay> {
  const at = now.toISOString();
  const replayed: ReceivedMessage[] = [];
  const cameBack = ({ attributes }: ReceivedMessage) =>
    (attributes[deadLetterAttributes.replayed] ?? "") >= at;

  const { hidden } = await scanQueue(deadLetters, Number.POSITIVE_INFINITY, async (messages) => {
    const chosen = messages.filter((message) => isWanted(message) && !cameBack(message));
    replayed.push(...chosen);
    if (isDry) return { gone: [], isEnough: isEnough(replayed.length) };
    await queue.send(
      chosen.map(({ body, attributes }) => ({ body, attributes: replayedAttributes(attributes, at) })),
    );
    await deadLetters.delete(chosen.map(({ receiptHandle }) => receiptHandle));
    return { gone: chosen, isEnough: isEnough(replayed.length) };
  });
  return { replayed, hidden };
}
