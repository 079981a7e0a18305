import type { LogEntry } from "#shared/ports/log.ts";

/** Knows when everything that existed at the start has been worked off. */
export type RoundTracker = Readonly<{
  forwarded(messages: number): void;
  synced(): void;
  note(entry: LogEntry): void;
  /** Resolves once: the hub is synced and every forwarded message is done. */
  firstRound: Promise<void>;
}>;

/** `watches` is how many watches report `synced` before the start is complete. */
export function roundTracker(watches: number): RoundTracker {
  const { promise: firstRound, resolve } = Promise.withResolvers<void>();
  let outstanding = 0;
  let unsynced = watches;
  const settle = (change: number): void => {
    outstanding += change;
    if (unsynced === 0 && outstanding <= 0) resolve();
  };
  return {
    forwarded: settle,
    synced() {
      unsynced--;
      settle(0);
    },
    note(entry) {
      if (entry.event === "reconciled") settle(-entry.messages);
      if (entry.event === "event-ignored" || entry.event === "dead-lettered") settle(-1);
    },
    firstRound,
  };
}
