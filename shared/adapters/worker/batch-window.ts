import { type Message, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { batchLimits } from "../sqs/message-batches.ts";
import { sqsTrouble } from "../sqs/sqs-trouble.ts";

export type BatchWindowOptions = Readonly<{
  sqs: SQSClient;
  queueUrl: string;
  /** Messages a batch at most. */
  batchSize: number;
  windowSeconds: number;
  /** Ends the waiting; what was received until then is the batch. */
  signal: AbortSignal;
  onError: (error: unknown) => void;
}>;

/** What SQS hands out in one request. */
const atOnce = batchLimits.entries;

/**
 * Requests side by side that fill a batch where there is more to come, as Lambda has pollers: one after another they
 * would take all of its window.
 */
const mostReceivers = 5;

/** When a message was sent, in milliseconds since the epoch; now where the server does not say. */
function sentAt({ Attributes }: Message, now: number): number {
  return Number(Attributes?.SentTimestamp) || now;
}

/**
 * What fills a batch up after its first messages: waits for more until the batch is full, its window closes or the
 * signal aborts, and answers all of them. Trouble is told, and the batch goes without what it would have brought.
 */
export function batchWindow({
  sqs,
  queueUrl,
  batchSize,
  windowSeconds,
  signal,
  onError,
}: BatchWindowOptions): (first: readonly Message[]) => Promise<Message[]> {
  const windowMs = windowSeconds * 1000;

  const receiveMore = async (count: number, waitSeconds: number): Promise<readonly Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: count,
      WaitTimeSeconds: waitSeconds,
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["All"],
    });
    const { Messages = [] } = await sqs.send(command, { abortSignal: signal });
    return Messages;
  };

  return async (first) => {
    const now = Date.now();
    // What has waited in the queue need not wait for a whole window again.
    const waitedMs = Math.max(0, ...first.map((message) => now - sentAt(message, now)));
    const closes = now + windowMs - Math.min(windowMs, waitedMs);
    // By id: a message whose visibility ends within the window comes twice, and cannot be deleted twice.
    const batch = new Map(first.map((message) => [message.MessageId, message]));
    let asked = 0;
    const receivers: Promise<void>[] = [];
    const receive = async (): Promise<void> => {
      for (;;) {
        const count = Math.min(atOnce, batchSize - batch.size - asked);
        const leftMs = closes - Date.now();
        if (count <= 0 || leftMs <= -windowMs || signal.aborted) return;
        // From its last half second on it takes what is there, and waits for nothing.
        const waitSeconds = Math.max(0, Math.min(20, Math.round(leftMs / 1000)));
        asked += count;
        try {
          const more = await receiveMore(count, waitSeconds);
          for (const message of more) batch.set(message.MessageId, message);
          if (more.length === 0 && waitSeconds === 0) return;
          if (more.length === atOnce && receivers.length < mostReceivers) receivers.push(receive());
        } catch (error) {
          if (!signal.aborted) onError(sqsTrouble(queueUrl, "ReceiveMessage", "QueueUnavailable", error));
          return;
        } finally {
          asked -= count;
        }
      }
    };
    receivers.push(receive());
    for (const receiver of receivers) await receiver;
    return [...batch.values()];
  };
}
