import type { HubChange } from "../../../ports/hub.ts";

type Waiting = Readonly<{ change: HubChange; taken: () => void }>;

/**
 * Merges several watches into one, with one `synced` after all have yielded theirs. The next change of a watch is read
 * only after its last one was taken, so a slow reader blocks the connections instead of filling memory. Ends when all
 * watches have ended, or throws the first error. Then, and when the reader leaves, calls `stop` and awaits all watches.
 */
export async function* mergeChanges(
  watches: readonly AsyncGenerator<HubChange, void, void>[],
  signal: AbortSignal,
  stop: () => void,
): AsyncGenerator<HubChange, void, void> {
  const waiting: Waiting[] = [];
  let unsynced = watches.length;
  let isOver = false;
  let failure: Readonly<{ error: unknown }> | undefined;
  let wake = () => {};

  async function read(watch: AsyncGenerator<HubChange, void, void>): Promise<void> {
    try {
      for await (const change of watch) {
        if (isOver) return;
        if (change.verb === "synced" && --unsynced > 0) continue;
        await new Promise<void>((taken) => {
          waiting.push({ change, taken });
          wake();
        });
      }
    } catch (error) {
      failure ??= { error };
      wake();
    }
  }

  const reading = Promise.all(watches.map(read)).then(() => {
    isOver = true;
    wake();
  });

  try {
    for (;;) {
      if (failure) throw failure.error;
      // A watch whose change is listed but never read would wait for its reader forever.
      if (signal.aborted) return;
      const next = waiting.shift();
      if (next) {
        try {
          yield next.change;
        } finally {
          next.taken();
        }
      } else if (isOver) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    isOver = true;
    stop();
    for (const { taken } of waiting.splice(0)) taken();
    await reading;
  }
}
