import { setTimeout as sleep } from "node:timers/promises";
import { HubError } from "../../../ports/hub.ts";
import type { ObjectKey } from "../semantics/stored-object.ts";
import type { DirectoryScanner } from "./directory-scanner.ts";
import type { IndexedObject, ObjectIndex } from "./object-index.ts";

/** How often to retry while files keep changing, before the last good state is used. */
const maxAttempts = 5;

/** Returns the index for reads and writes, brought up to date with the files first. */
export function freshIndex(index: ObjectIndex, scanner: DirectoryScanner) {
  let pending: Promise<void> | undefined;

  /** Brings everything up to date. Concurrent callers share one scan, which starts after all of them have called. */
  function refreshAll(): Promise<void> {
    pending ??= Promise.resolve().then(() => {
      pending = undefined;
      return scanUntilSettled();
    });
    return pending;
  }

  async function scanUntilSettled(): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { unsettledMs } = scanner.scan();
      if (unsettledMs === 0) return;
      await sleep(unsettledMs);
    }
  }

  /** Brings one object up to date. Only its own file is read, unless the object is new or has moved. */
  async function refresh(key: ObjectKey): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const file = index.fileOf(key);
      if (file === undefined) return refreshAll();
      if (scanner.unchanged(file)) return;
      if (scanner.exists(file)) {
        const waitMs = scanner.refreshFile(file);
        if (waitMs > 0) await sleep(waitMs);
      } else await refreshAll();
    }
  }

  return {
    refreshAll,
    async object(key: ObjectKey): Promise<IndexedObject | undefined> {
      await refresh(key);
      return index.object(key);
    },
    /** Runs a write with the lock, on the object as its file currently defines it. */
    async write<Result>(
      key: ObjectKey,
      work: (stored: IndexedObject | undefined) => Result,
    ): Promise<Result> {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        await refresh(key);
        const written = scanner.locked(() => {
          const stored = index.object(key);
          const isFresh = !stored || scanner.unchanged(stored.file);
          return isFresh ? { result: work(stored) } : undefined;
        });
        if (written) return written.result;
      }
      throw new HubError("Conflict", "the object's file keeps changing");
    },
  };
}
