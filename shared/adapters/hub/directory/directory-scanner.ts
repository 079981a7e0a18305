import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Issue } from "../../../domain/issues/issue.ts";
import { clockTickMs, fileRecords } from "./file-records.ts";
import type { IndexDatabase } from "./index-database.ts";
import { ingestText, replaceManifests } from "./ingest.ts";
import { type IssueListener, issueReporter, unreadableIssue } from "./issue-reporter.ts";
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

/** How long a file, or the path of a removed one, must be untouched before the change is accepted. */
const settleMs = 100;

/**
 * Delays changes in progress: programs that write in place expose half a file meanwhile, editors that rename expose
 * none for a moment.
 */
function settleDelay() {
  /** When this process first saw each pending change. */
  const noticed = new Map<string, Readonly<{ what: string; atMs: number }>>();
  return {
    /**
     * Returns the milliseconds until the state `what` at the path may be accepted, given when it began. When the file
     * system's clock is ahead, they count from the first sight of that state.
     */
    remainingMs(path: string, what: string, changedMs: number): number {
      const nowMs = Date.now();
      const known = noticed.get(path);
      const atMs = known?.what === what ? known.atMs : nowMs;
      noticed.set(path, { what, atMs });
      return Math.max(0, Math.ceil(Math.min(changedMs, atMs) + settleMs - nowMs));
    },
    settled: (path: string) => void noticed.delete(path),
  };
}

/** The number of files from which walks are rate-limited. */
const largeDirectory = 100;

export type Scan = Readonly<{
  /** How long until files that are being changed can be read; 0 when none is. */
  unsettledMs: number;
  /** When to scan again without a signal; 0 for never. */
  againMs: number;
  directories: readonly string[];
}>;

function longest(waitsMs: readonly number[]): number {
  return waitsMs.reduce((maxMs, waitMs) => Math.max(maxMs, waitMs), 0);
}

export type DirectoryScanner = ReturnType<typeof directoryScanner>;

/**
 * Keeps the index in sync with the files. Changes are detected by stat; a file is read only after it has changed and
 * then not been touched for a moment.
 */
export function directoryScanner(
  root: string,
  database: IndexDatabase,
  index: ObjectIndex,
  listener: IssueListener,
) {
  const delays = settleDelay();
  const reporter = issueReporter(listener);
  let isDirty = false;
  const records = fileRecords(database, index, () => {
    isDirty = true;
  });
  let walk: Walk = { files: new Map(), directories: [], skipped: new Map(), leftovers: [] };
  let walkedMs = 0;
  let walkTookMs = 0;

  /** Runs work with the lock, so that no other process can change the records meanwhile. */
  function locked<Result>(work: () => Result): Result {
    return database.transaction(() => {
      records.refresh();
      return work();
    });
  }

  function report(): void {
    if (isDirty) reporter.report(records.all(), index.duplicates(), walk.skipped);
    isDirty = false;
  }

  function walkFiles(): void {
    const startMs = Date.now();
    const { skipped } = walk;
    walk = walkManifests(root);
    isDirty ||= !isDeepStrictEqual(skipped, walk.skipped);
    walkedMs = Date.now();
    walkTookMs = walkedMs - startMs;
  }

  /** Nothing is known about a file at a path that is left out, or below one. */
  function isSkipped(path: string): boolean {
    return walk.skipped.size > 0 && [...walk.skipped.keys()].some((one) => `${path}/`.startsWith(`${one}/`));
  }

  /** A large directory is walked at most a third of the time. */
  function freshFor(): number {
    if (walk.files.size < largeDirectory) return 0;
    return Math.max(0, walkedMs + 2 * walkTookMs - Date.now());
  }

  function read(path: string, state: FileState): void {
    const readMs = Date.now();
    const content = readText(join(root, path));
    records.noteRead(path, state, readMs);
    const { identity } = state;
    const hash = content.text === undefined ? content.problem : hashOf(content.text);
    const record = records.get(path);
    if (record?.hash === hash) {
      if (record.identity !== identity) records.save({ ...record, identity, readMs });
      return;
    }
    const issues =
      content.text === undefined
        ? [unreadableIssue(path, content.problem)]
        : ingestText(index, path, content.text);
    records.save({ path, identity, readMs, hash, issues, writtenByHub: false });
    isDirty = true;
  }

  function forget(path: string): void {
    replaceManifests(index, path, []);
    records.remove(path);
    isDirty = true;
  }

  /** Reads a file if it has changed and settled; returns how long to wait until it has. */
  function settle(path: string, skipDelay: boolean): number {
    const state = fileState(join(root, path));
    if (!state || !records.hasChanged(path, state)) return 0;
    const isSameState = records.get(path)?.identity === state.identity;
    const waitMs = skipDelay || isSameState ? 0 : delays.remainingMs(path, state.identity, state.changedMs);
    if (waitMs > 0) return waitMs;
    delays.settled(path);
    read(path, state);
    return 0;
  }

  /** Forgets a removed file; returns how long to wait because it may be about to return. */
  function settleMissing(path: string, skipDelay: boolean): number {
    if (!records.has(path) || fileState(join(root, path))) return 0;
    const changedMs = directoryChangedMs(join(root, path, ".."));
    const waitMs = skipDelay ? 0 : delays.remainingMs(path, "missing", changedMs);
    if (waitMs > 0) return waitMs;
    delays.settled(path);
    forget(path);
    return 0;
  }

  function settleAll(changed: readonly string[], missing: readonly string[], skipDelay: boolean): number {
    const waitMs = longest(changed.map((path) => settle(path, skipDelay)));
    // A renamed file is found under its new name first, so that its objects keep their identity.
    if (waitMs > 0) return waitMs;
    return longest(missing.map((path) => settleMissing(path, skipDelay)));
  }

  return {
    locked,
    forget,
    /** Reports whether only the hub had written the file when it was read last. */
    isOurs: (path: string) => records.get(path)?.writtenByHub === true,

    exists: (path: string) => fileState(join(root, path)) !== undefined,

    /** Returns the record of a file that has not changed since it was read, else undefined. */
    unchanged(path: string): FileRecord | undefined {
      records.refresh();
      const state = fileState(join(root, path));
      return state && !records.hasChanged(path, state) ? records.get(path) : undefined;
    },

    /** Brings the index up to date with one file; returns milliseconds to wait while it is being changed. */
    refreshFile(path: string): number {
      const waitMs = locked(() => settle(path, false));
      report();
      return waitMs;
    },

    /** Brings the index up to date. `skipDelay` is for the first scan, when nothing is known yet. */
    scan(skipDelay = false): Scan {
      const freshMs = freshFor();
      if (freshMs > 0) return { unsettledMs: 0, againMs: freshMs, directories: walk.directories };
      records.refresh();
      walkFiles();
      const { files, directories } = walk;
      const changed = [...files].filter(([path, state]) => records.hasChanged(path, state));
      const missing = records.paths().filter((path) => !files.has(path) && !isSkipped(path));
      const paths = changed.map(([path]) => path);
      const isQuiet = paths.length === 0 && missing.length === 0;
      const unsettledMs = isQuiet ? 0 : locked(() => settleAll(paths, missing, skipDelay));
      report();
      const isAnyDoubtful = [...files].some(([path, state]) => records.isDoubtful(path, state));
      return { unsettledMs, againMs: unsettledMs || (isAnyDoubtful ? clockTickMs : 0), directories };
    },

    /** Records a file that this process has just written, within its transaction. */
    wrote(path: string, text: string, issues: readonly Issue[], writtenByHub: boolean): void {
      const state = fileState(join(root, path));
      if (!state) return; // removed meanwhile: the next scan handles it
      const { identity } = state;
      records.save({ path, identity, readMs: Date.now(), hash: hashOf(text), issues, writtenByHub });
      isDirty ||= !writtenByHub;
    },
  };
}
