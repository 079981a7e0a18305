import { join } from "node:path";
import type { Issue } from "../../domain/issue.ts";
import type { IndexDatabase } from "./index-database.ts";
import { ingestText, replaceManifests } from "./ingest.ts";
import { issueReporter } from "./issue-reporter.ts";
import {
  directoryChangedMs,
  type FileState,
  fileState,
  hashOf,
  readText,
  type Walk,
  walkManifests,
} from "./manifest-files.ts";
import type { FileRecord, ObjectIndex } from "./object-index.ts";

/** A file, or the place where one was, must be untouched for so long before it is believed. */
const stillMs = 100;
/** Two writes closer than this may carry the same change time: the kernel's clock for files ticks that slowly. */
const clockTickMs = 20;
/** Files from which on a walk takes long enough to be worth sparing. */
const largeDirectory = 500;

export type Scan = Readonly<{
  /** How long until files that are being changed right now can be read; 0 when none is. */
  unsettledMs: number;
  /** When to scan again although nobody tells of a change; 0 for never. */
  againMs: number;
  directories: readonly string[];
}>;

function unreadableIssue(path: string, problem: string): Issue {
  return {
    code: "UnreadableFile",
    severity: "error",
    object: { kind: "File", name: path },
    path,
    value: problem,
    message: `${path} cannot be read: ${problem}.`,
    remedy: "Give hubrelay the right to read it; until then the objects in it stay as they were.",
  };
}

export type DirectoryScanner = ReturnType<typeof directoryScanner>;

/**
 * Keeps the index equal to the files. Files are recognised by stat and read only when that changed, and only
 * once they have been left alone for a moment: programs that write in place show half a file meanwhile, editors
 * that rename show none.
 */
export function directoryScanner(
  root: string,
  database: IndexDatabase,
  index: ObjectIndex,
  onIssue: (issue: Issue) => void,
) {
  let records = new Map<string, FileRecord>();
  let recordsVersion: number | undefined;
  /** Identities of files that were read again after the clock had ticked. */
  const verified = new Map<string, string>();
  /** When this process first saw a change that it does not believe yet. */
  const noticed = new Map<string, Readonly<{ what: string; atMs: number }>>();
  const reporter = issueReporter(onIssue);
  let walk: Walk = { files: new Map(), directories: [], leftovers: [] };
  let walkedMs = 0;
  let walkTookMs = 0;

  /** How long the last walk still counts: a large directory is walked at most a third of the time. */
  function freshFor(): number {
    if (walk.files.size < largeDirectory) return 0;
    return Math.max(0, walkedMs + 2 * walkTookMs - Date.now());
  }

  function refreshRecords(): void {
    const version = database.dataVersion();
    if (version === recordsVersion) return;
    records = new Map(index.files().map((record) => [record.path, record]));
    recordsVersion = version;
    report();
  }

  function report(): void {
    reporter.report([...records.values()], index.duplicates());
  }

  /** Milliseconds until a change may be believed; a clock that was set back delays it by `stillMs` at most. */
  function unsettledFor(path: string, what: string, changedMs: number): number {
    const now = Date.now();
    const known = noticed.get(path);
    if (known?.what !== what) noticed.set(path, { what, atMs: now });
    const noticedMs = known?.what === what ? known.atMs : now;
    const remaining = Math.min(changedMs + stillMs, noticedMs + stillMs) - now;
    return Math.max(0, Math.ceil(remaining));
  }

  /** True when the file may have changed after it was read without showing it: read it once more. */
  function isDoubtful(record: FileRecord, { changedMs }: FileState): boolean {
    return record.readMs - changedMs < clockTickMs && verified.get(record.path) !== record.identity;
  }

  function hasChanged(path: string, state: FileState): boolean {
    const record = records.get(path);
    if (record?.identity !== state.identity) return true;
    return isDoubtful(record, state) && Date.now() - state.changedMs >= clockTickMs;
  }

  function remember(record: FileRecord): void {
    index.saveFile(record);
    records.set(record.path, record);
    noticed.delete(record.path);
  }

  function read(path: string, { identity }: FileState): void {
    const readMs = Date.now();
    const content = readText(join(root, path));
    const hash = content.text === undefined ? content.problem : hashOf(content.text);
    const record = records.get(path);
    verified.set(path, identity);
    if (record?.hash === hash) {
      if (record.identity !== identity) remember({ ...record, identity, readMs });
      return;
    }
    const issues =
      content.text === undefined
        ? [unreadableIssue(path, content.problem)]
        : ingestText(index, path, content.text);
    remember({ path, identity, readMs, hash, issues, writtenByHub: false });
  }

  function forget(path: string): void {
    replaceManifests(index, path, []);
    index.removeFile(path);
    records.delete(path);
    noticed.delete(path);
    verified.delete(path);
  }

  /** Reads a file if it has changed and is still, now that nobody else is writing; answers how long to wait. */
  function settle(path: string, believeAtOnce: boolean): number {
    const state = fileState(join(root, path));
    if (!state || !hasChanged(path, state)) return 0;
    const isDoubt = records.get(path)?.identity === state.identity;
    const waitMs = believeAtOnce || isDoubt ? 0 : unsettledFor(path, state.identity, state.changedMs);
    if (waitMs === 0) read(path, state);
    return waitMs;
  }

  /** Gives up a file that is gone; answers how long to wait because it may be about to come back. */
  function settleMissing(path: string, believeAtOnce: boolean): number {
    if (!records.has(path) || fileState(join(root, path))) return 0;
    const changedMs = directoryChangedMs(join(root, path, ".."));
    const waitMs = believeAtOnce ? 0 : unsettledFor(path, "missing", changedMs);
    if (waitMs === 0) forget(path);
    return waitMs;
  }

  function settleAll(changed: readonly string[], missing: readonly string[], believeAtOnce: boolean): number {
    const waitsMs = changed.map((path) => settle(path, believeAtOnce));
    const waitMs = Math.max(0, ...waitsMs);
    // A file that was renamed is found under its new name first, so that its objects stay the same objects.
    if (waitMs > 0) return waitMs;
    return Math.max(0, ...missing.map((path) => settleMissing(path, believeAtOnce)));
  }

  return {
    /** The record of a file whose state is the one that was read, else undefined: then scan. */
    unchanged(path: string): FileRecord | undefined {
      refreshRecords();
      const state = fileState(join(root, path));
      return state && !hasChanged(path, state) ? records.get(path) : undefined;
    },

    exists: (path: string) => fileState(join(root, path)) !== undefined,

    /** Brings the index up to date with one file; answers milliseconds to wait while it is being changed. */
    look(path: string): number {
      const waitMs = database.transaction(() => {
        refreshRecords();
        return settle(path, false);
      });
      report();
      return waitMs;
    },

    /** Brings the index up to date. `believeAtOnce` is for the first look, when nothing is known yet. */
    scan(believeAtOnce = false): Scan {
      const freshMs = freshFor();
      if (freshMs > 0) return { unsettledMs: 0, againMs: freshMs, directories: walk.directories };
      refreshRecords();
      const startMs = Date.now();
      walk = walkManifests(root);
      walkedMs = Date.now();
      walkTookMs = walkedMs - startMs;
      const { files, directories } = walk;
      const changed = [...files].filter(([path, state]) => hasChanged(path, state)).map(([path]) => path);
      const missing = [...records.keys()].filter((path) => !files.has(path));
      let unsettledMs = 0;
      if (changed.length > 0 || missing.length > 0) {
        database.transaction(() => {
          refreshRecords();
          unsettledMs = settleAll(changed, missing, believeAtOnce);
        });
        report();
      }
      const isAnyDoubtful = [...files].some(([path, state]) => {
        const record = records.get(path);
        return record !== undefined && isDoubtful(record, state);
      });
      return { unsettledMs, againMs: unsettledMs || (isAnyDoubtful ? clockTickMs : 0), directories };
    },

    /** Notes a file that this process has just written, within its transaction. */
    wrote(path: string, text: string, issues: readonly Issue[], writtenByHub: boolean): void {
      const state = fileState(join(root, path));
      if (!state) return; // removed again by somebody else: the next scan sees to it
      const { identity } = state;
      remember({ path, identity, readMs: Date.now(), hash: hashOf(text), issues, writtenByHub });
    },
    forget,
    /** Makes the next look read all records again, after a transaction was rolled back. */
    invalidate(): void {
      recordsVersion = undefined;
    },
  };
}
