import { setTimeout as sleep } from "node:timers/promises";
import { HubError } from "../../../ports/hub.ts";
import type { ObjectKey } from "../semantics/stored-object.ts";
import type { DirectoryScanner } from "./directory-scanner.ts";
import type { ObjectIndex, StoredObject } from "./object-index.ts";

/** How often to look again at files that somebody keeps changing before the last good state has to do. */
const patience = 5;

/** The index as it is read and written through: brought up to date with the files first. */
export function freshIndex(index: ObjectIndex, scanner: DirectoryScanner) {
  let asked: Promise<void> | undefined;

  /** Brings everything up to date. Those who ask in the same moment share one look, taken after all of them. */
  function refreshAll(): Promise<void> {
    asked ??= Promise.resolve().then(() => {
      asked = undefined;
      return lookAtAll();
    });
    return asked;
  }

  /** Waits a moment for files that are being changed. */
  async function lookAtAll(): Promise<void> {
    for (let look = 0; look < patience; look++) {
      const { unsettledMs } = scanner.scan();
      if (unsettledMs === 0) return;
      await sleep(unsettledMs);
    }
  }

  /** Brings one object up to date. Only its own file is looked at, unless the object is new or has moved. */
  async function refresh(key: ObjectKey): Promise<void> {
    for (let look = 0; look < patience; look++) {
      const stored = index.object(key);
      if (!stored) return refreshAll();
      if (scanner.unchanged(stored.file)) return;
      if (scanner.exists(stored.file)) {
        const waitMs = scanner.look(stored.file);
        if (waitMs > 0) await sleep(waitMs);
      } else await refreshAll();
    }
  }

  return {
    refreshAll,
    async object(key: ObjectKey): Promise<StoredObject | undefined> {
      await refresh(key);
      return index.object(key);
    },
    /** Runs a write with the lock, on the object as its file has it at that moment. */
    async write<Result>(key: ObjectKey, work: (stored: StoredObject | undefined) => Result): Promise<Result> {
      for (let look = 0; look < patience; look++) {
        await refresh(key);
        const written = scanner.locked(() => {
          const stored = index.object(key);
          const isFresh = !stored || scanner.unchanged(stored.file);
          return isFresh ? { result: work(stored) } : undefined;
        });
        if (written) return written.result;
      }
      throw new HubError("Conflict", "the object's file is being changed all the time");
    },
  };
}
