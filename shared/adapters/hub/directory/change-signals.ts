import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { countedSignal } from "../semantics/watch-changes.ts";
import { stateDirectory } from "./object-paths.ts";

/** Poll intervals: a slow one in addition to file events, and one for file systems without events. */
const safetyPollMs = 2_000;
const pollMs = 300;

export type ChangeSignals = ReturnType<typeof changeSignals>;

/**
 * Signals that something in the hub's directory may have changed: from the system's file events (`raise`), from this
 * process's own writes (`raiseOwn`), and from a slow poll for file systems without events, such as network file
 * systems. After an own write the index is up to date, and no file needs to be read.
 */
export function changeSignals(root: string) {
  const watchers = new Map<string, FSWatcher>();
  const signal = countedSignal();
  let filesAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function raise(): void {
    filesAt = signal.count() + 1;
    signal.raise();
  }

  function raiseLater(delayMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(raise, delayMs);
  }

  function drop(directory: string): void {
    watchers.get(directory)?.close();
    watchers.delete(directory);
  }

  function watchDirectory(directory: string): boolean {
    if (watchers.has(directory)) return true;
    const isState = directory === stateDirectory;
    try {
      const watcher = watch(join(root, directory), (_event, name) => {
        // Skips swap files and hubrelay's temporary ones; in the state directory the index itself changes.
        if (isState || !name?.startsWith(".")) raise();
      });
      watcher.on("error", () => drop(directory)); // removed or out of watches: the poll continues
      watchers.set(directory, watcher);
      return true;
    } catch {
      return false; // removed, or the system's limit of watches is reached: the poll continues
    }
  }

  return {
    ...signal,
    raise,
    raiseOwn: signal.raise,
    raiseLater,
    /** The count of the last signal that was caused by files. */
    filesAt: () => filesAt,

    /** Watches exactly these directories and the hub's state; the next poll is due after `againMs`, if any. */
    observe(directories: readonly string[], againMs: number): void {
      const wanted = new Set([...directories, stateDirectory]);
      for (const directory of watchers.keys()) if (!wanted.has(directory)) drop(directory);
      const known = watchers.size;
      const all = [...wanted].map(watchDirectory).every(Boolean);
      const isNew = watchers.size > known; // something may have changed before the watch was set up
      raiseLater(isNew ? 1 : againMs || (all ? safetyPollMs : pollMs));
    },

    close(): void {
      clearTimeout(timer);
      for (const directory of [...watchers.keys()]) drop(directory);
    },
  };
}
