import { join } from "node:path";
import type { Issue } from "../../../domain/issues/issue.ts";
import { clockTickMs, fileRecords } from "./file-records.ts";
import type { IndexDatabase } from "./index-database.ts";
import { ingestText, replaceManifests } from "./ingest.ts";
import { issueReporter, unreadableIssue } from "./issue-reporter.ts";
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
import { settleDelay } from "./settle-delay.ts";

/** Files from which on a walk takes long enough to be worth sparing. */
const largeDirectory = 100;

export type Scan = Readonly<{
  /** How long until files that are being changed right now can be read; 0 when none is. */
  unsettledMs: number;
  /** When to scan again although nobody tells of a change; 0 for never. */
  againMs: number;
  directories: readonly string[];
}>;

function longest(waitsMs: readonly number[]): number {
  return waitsMs.reduce((longestMs, waitMs) => Math.max(longestMs, waitMs), 0);
}

export type DirectoryScanner = ReturnType<typeof directoryScanner>;

/**
 * Keeps the index equal to the files. Files are recognised by stat, read only when that has changed and only once
 * they have been left alone for a moment.
 */
export function directoryScanner(
  root: string,
  database: IndexDatabase,
  index: ObjectIndex,
  onIssue: (issue: Issue) => void,
) {
  const still = settleDelay();
  const reporter = issueReporter(onIssue);
  let hasNews = false;
  const records = fileRecords(database, index, () => {
    hasNews = true;
  });
  let walk: Walk = { files: new Map(), directories: [], leftovers: [] };
  let walkedMs = 0;
  let walkTookMs = 0;

  /** Runs work with the lock and with records that no other process can change meanwhile. */
  function locked<Result>(work: () => Result): Result {
    try {
      return database.transaction(() => {
        records.refresh();
        return work();
      });
    } catch (error) {
      records.invalidate();
      throw error;
    }
  }

  function report(): void {
    if (hasNews) reporter.report(records.all(), index.duplicates());
    hasNews = false;
  }

  function walkFiles(): void {
    const startMs = Date.now();
    walk = walkManifests(root);
    walkedMs = Date.now();
    walkTookMs = walkedMs - startMs;
  }

  /** How long the last walk still counts: a large directory is walked at most a third of the time. */
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
    hasNews = true;
  }

  function forget(path: string): void {
    replaceManifests(index, path, []);
    records.remove(path);
    hasNews = true;
  }

  /** Reads a file if it has changed and is still; answers how long to wait until it is. */
  function settle(path: string, believeAtOnce: boolean): number {
    const state = fileState(join(root, path));
    if (!state || !records.hasChanged(path, state)) return 0;
    const isDoubt = records.get(path)?.identity === state.identity;
    const waitMs = believeAtOnce || isDoubt ? 0 : still.remainingMs(path, state.identity, state.changedMs);
    if (waitMs > 0) return waitMs;
    still.believed(path);
    read(path, state);
    return 0;
  }

  /** Gives up a file that is gone; answers how long to wait because it may be about to come back. */
  function settleMissing(path: string, believeAtOnce: boolean): number {
    if (!records.has(path) || fileState(join(root, path))) return 0;
    const changedMs = directoryChangedMs(join(root, path, ".."));
    const waitMs = believeAtOnce ? 0 : still.remainingMs(path, "missing", changedMs);
    if (waitMs > 0) return waitMs;
    still.believed(path);
    forget(path);
    return 0;
  }

  function settleAll(changed: readonly string[], missing: readonly string[], believeAtOnce: boolean): number {
    const waitMs = longest(changed.map((path) => settle(path, believeAtOnce)));
    // A file that was renamed is found under its new name first, so that its objects stay the same objects.
    if (waitMs > 0) return waitMs;
    return longest(missing.map((path) => settleMissing(path, believeAtOnce)));
  }

  return {
    locked,
    forget,
    /** True for a file that only the hub has written, as far as it was read. */
    isOurs: (path: string) => records.get(path)?.writtenByHub === true,

    exists: (path: string) => fileState(join(root, path)) !== undefined,

    /** The record of a file that is as it was read, else undefined: then look. */
    unchanged(path: string): FileRecord | undefined {
      records.refresh();
      const state = fileState(join(root, path));
      return state && !records.hasChanged(path, state) ? records.get(path) : undefined;
    },

    /** Brings the index up to date with one file; answers milliseconds to wait while it is being changed. */
    look(path: string): number {
      const waitMs = locked(() => settle(path, false));
      report();
      return waitMs;
    },

    /** Brings the index up to date. `believeAtOnce` is for the first look, when nothing is known yet. */
    scan(believeAtOnce = false): Scan {
      const freshMs = freshFor();
      if (freshMs > 0) return { unsettledMs: 0, againMs: freshMs, directories: walk.directories };
      records.refresh();
      walkFiles();
      const { files, directories } = walk;
      const changed = [...files].filter(([path, state]) => records.hasChanged(path, state));
      const missing = records.paths().filter((path) => !files.has(path));
      const paths = changed.map(([path]) => path);
      const isQuiet = paths.length === 0 && missing.length === 0;
      const unsettledMs = isQuiet ? 0 : locked(() => settleAll(paths, missing, believeAtOnce));
      report();
      const isAnyDoubtful = [...files].some(([path, state]) => records.isDoubtful(path, state));
      return { unsettledMs, againMs: unsettledMs || (isAnyDoubtful ? clockTickMs : 0), directories };
    },

    /** Notes a file that this process has just written, within its transaction. */
    wrote(path: string, text: string, issues: readonly Issue[], writtenByHub: boolean): void {
      const state = fileState(join(root, path));
      if (!state) return; // removed again by somebody else: the next scan sees to it
      const { identity } = state;
      records.save({ path, identity, readMs: Date.now(), hash: hashOf(text), issues, writtenByHub });
      hasNews ||= !writtenByHub;
    },
  };
}
