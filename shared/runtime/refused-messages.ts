import { setTimeout as sleep } from "node:timers/promises";
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { describeError } from "../ports/port-error.ts";
import type { Ports } from "../ports/ports.ts";
import type { Queue } from "../ports/queue.ts";

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** The pause between a refusal and the next request to the hub. */
export const refusedRetryMs = 3_000;
const maxKept = 1_000;

export type RefusedMessages = Readonly<{
  note: NonNullable<Ports["onRefused"]>;
  handling(handle: Handler): Handler;
  reason(): string | undefined;
  stop(): Promise<void>;
}>;

/**
 * Remembers messages that failed because the hub refused access, and tries one of them every few seconds. When the hub
 * no longer refuses access, all the messages become visible in the queue at once.
 */
export function refusedMessages(
  queue: Pick<Queue, "changeVisibility">,
  pause = (signal: AbortSignal): Promise<unknown> =>
    sleep(refusedRetryMs, undefined, { signal }).catch(() => undefined),
): RefusedMessages {
  const noted = new Set<string>();
  const kept = new Map<string, Readonly<{ record: SQSRecord; again(): Promise<unknown> }>>();
  const ended = new AbortController();
  const { signal } = ended;
  let reason = "";
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    for (;;) {
      await pause(signal);
      const all = [...kept.values()];
      const [first] = all;
      if (signal.aborted || !first) break;
      const { messageId } = first.record;
      kept.delete(messageId);
      await first.again().catch(() => undefined); // the queue delivers it again
      if (kept.has(messageId)) continue;
      kept.clear();
      await Promise.allSettled(all.map(({ record }) => queue.changeVisibility(record.receiptHandle, 0)));
    }
    asking = undefined;
  }

  const handling =
    (handle: Handler): Handler =>
    async (event, context) => {
      const response = await handle(event, context);
      const refused = event.Records.filter(({ messageId }) => noted.delete(messageId));
      for (const record of refused) {
        const again = () => handling(handle)({ Records: [record] }, context);
        if (kept.size < maxKept) kept.set(record.messageId, { record, again });
      }
      if (kept.size > 0) asking ??= ask();
      return response;
    };

  return {
    note(messageIds, error) {
      for (const id of messageIds) noted.add(id);
      reason = describeError(error);
    },
    handling,
    reason: () => (kept.size > 0 ? reason : undefined),
    async stop() {
      ended.abort();
      await asking;
    },
  };
}
