import type { LogEntry } from "#shared/ports/log.ts";

/** Notices when all objects that existed at the start have been reconciled. */
export type RoundTracker = Readonly<{
  note(entry: LogEntry): void;
  /** Resolves once: the hub is synced and every forwarded message is done. */
  firstRound: Promise<void>;
}>;

export function roundTracker(): RoundTracker {
  const { promise: firstRound, resolve } = Promise.withResolvers<void>();
  let outstanding = 0;
  let isSynced = false;
  return {
    note(entry) {
      if (entry.event === "synced") isSynced = true;
      if (entry.event === "forwarded") outstanding += entry.messages;
      if (entry.event === "replaced") outstanding += entry.messages - 1;
      if (entry.event === "reconciled") outstanding -= entry.messages;
      if (entry.event === "event-ignored" || entry.event === "dead-lettered") outstanding--;
      if (isSynced && outstanding <= 0) resolve();
    },
    firstRound,
  };
}
