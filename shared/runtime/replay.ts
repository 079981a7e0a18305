import { deadLetterAttributes, replayedAttributes } from "../domain/events/dead-letter.ts";
import { type OutgoingMessage, type Queue, QueueError, type ReceivedMessage } from "../ports/queue.ts";
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
  /** Messages that the queue rejected, with the reason: they stay. */
  rejected: readonly Readonly<{ message: ReceivedMessage; error: QueueError }>[];
  /** Messages that were received and stay hidden for some minutes. */
  hidden: number;
}>;

/** Sends messages together and, when the queue rejects some, one by one. Returns the rejected ones. */
async function rejectedBy(
  queue: Queue,
  messages: readonly ReceivedMessage[],
  at: string,
): Promise<ReadonlyMap<ReceivedMessage, QueueError>> {
  const rejected = new Map<ReceivedMessage, QueueError>();
  const send = async (some: readonly ReceivedMessage[]): Promise<void> => {
    try {
      await queue.send(some.map((message) => outgoing(message, at)));
    } catch (error) {
      if (!(error instanceof QueueError) || error.code === "QueueMissing") throw error;
      const [first, ...others] = some;
      if (first && others.length === 0) rejected.set(first, error);
      else for (const message of some) await send([message]);
    }
  };
  await send(messages);
  return rejected;
}

function outgoing({ body, attributes }: ReceivedMessage, at: string): OutgoingMessage {
  return { body, attributes: replayedAttributes(attributes, at) };
}

/**
 * Moves dead letters back into their queue. A message is sent before it is deleted: after a kill in between it exists
 * twice, which is harmless, and it is never lost. A message that returns while the replay runs stays: replaying it
 * again would never end. So does one that the queue rejects; the others are replayed.
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
  const rejected: Replay["rejected"][number][] = [];
  const hasReturned = ({ attributes }: ReceivedMessage) =>
    (attributes[deadLetterAttributes.replayed] ?? "") >= at;

  const { hidden } = await scanQueue(deadLetters, Number.POSITIVE_INFINITY, async (messages) => {
    const chosen = messages.filter((message) => isWanted(message) && !hasReturned(message));
    if (isDryRun) {
      replayed.push(...chosen);
      return { gone: [], isEnough: isEnough(replayed.length) };
    }
    const failed = await rejectedBy(queue, chosen, at);
    const gone = chosen.filter((message) => !failed.has(message));
    await deadLetters.delete(gone.map(({ receiptHandle }) => receiptHandle));
    replayed.push(...gone);
    rejected.push(...[...failed].map(([message, error]) => ({ message, error })));
    return { gone, isEnough: isEnough(replayed.length + rejected.length) };
  });
  return { replayed, rejected, hidden };
}
