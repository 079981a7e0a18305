import type { IndexDatabase } from "./index-database.ts";
import type { FileState } from "./manifest-files.ts";
import type { FileRecord, ObjectIndex } from "./object-index.ts";

/** Two writes closer than this may have the same change time: the kernel's clock for files ticks that slowly. */
export const clockTickMs = 20;

/**
 * The records of the files, cached in memory until another process changes the index. A file that was read within a
 * tick of its last change may have changed again invisibly, so it is doubtful until it has been read once more.
 */
export function fileRecords(database: IndexDatabase, index: ObjectIndex, onReload: () => void) {
  let records = new Map<string, FileRecord>();
  let version: string | undefined;
  /** Identities of files that were read again after the clock tick. */
  const verified = new Map<string, string>();

  const mayHideChange = ({ path, identity, readMs }: FileRecord, { changedMs }: FileState) =>
    readMs - changedMs < clockTickMs && verified.get(path) !== identity;

  return {
    /** Loads what other processes have written, and discards what was recorded in a rolled-back transaction. */
    refresh(): void {
      const current = database.dataVersion();
      if (current === version) return;
      records = new Map(index.files().map((record) => [record.path, record]));
      version = current;
      onReload();
    },

    get: (path: string) => records.get(path),
    has: (path: string) => records.has(path),
    paths: () => [...records.keys()],
    all: () => [...records.values()],

    save(record: FileRecord): void {
      index.saveFile(record);
      records.set(record.path, record);
    },
    remove(path: string): void {
      index.removeFile(path);
      records.delete(path);
      verified.delete(path);
    },
    /** Records that the file was read; this settles doubts only long enough after its last change. */
    noteRead(path: string, { identity, changedMs }: FileState, readMs: number): void {
      if (readMs - changedMs >= clockTickMs) verified.set(path, identity);
    },

    /** Reports whether the file must be read again. */
    hasChanged(path: string, state: FileState): boolean {
      const record = records.get(path);
      if (record?.identity !== state.identity) return true;
      return mayHideChange(record, state) && Date.now() - state.changedMs >= clockTickMs;
    },
    isDoubtful(path: string, state: FileState): boolean {
      const record = records.get(path);
      return record !== undefined && mayHideChange(record, state);
    },
  };
}
