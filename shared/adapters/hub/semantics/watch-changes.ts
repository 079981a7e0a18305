import type { HubChange } from "../../../ports/hub.ts";

export type CountedSignal = ReturnType<typeof countedSignal>;

/** A signal that is counted, so that one raised while its receiver is busy is not lost. */
export function countedSignal() {
  let waiting: (() => void)[] = [];
  let count = 0;
  return {
    raise(): void {
      count++;
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    count: () => count,
    /** Resolves once the count exceeds `seen`. */
    next: (seen: number): Promise<void> =>
      count > seen ? Promise.resolve() : new Promise((wake) => waiting.push(wake)),
  };
}

/**
 * Yields what `read` returns, now and after every signal, until `end` aborts; `synced` comes after the first read. A
 * read that fails returns undefined and is repeated at the next signal.
 */
export async function* watchChanges(
  { raise, count, next }: Pick<CountedSignal, "raise" | "count" | "next">,
  end: AbortSignal,
  read: (count: number) => readonly HubChange[] | undefined,
): AsyncGenerator<HubChange, void, void> {
  end.addEventListener("abort", raise);
  let isSynced = false;
  try {
    while (!end.aborted) {
      const seen = count();
      const changes = read(seen);
      for (const change of changes ?? []) {
        yield change;
        if (end.aborted) return;
      }
      if (changes && !isSynced) {
        yield { verb: "synced" };
        isSynced = true;
      }
      await next(seen);
    }
  } finally {
    end.removeEventListener("abort", raise);
  }
}
