import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { definedDifferently, skippedPath, unreadableFile } from "../../../domain/issues/file-issues.ts";
import type { Issue } from "../../../domain/issues/issue.ts";
import type { LocatedObject } from "../../../domain/manifests/located-object.ts";
import { readManifests } from "../../../domain/manifests/manifests.ts";
import { HubError } from "../../../ports/hub.ts";
import type { MemoryStore } from "../memory/memory-store.ts";
import {
  type HubClock,
  isSameDefinition,
  keyText,
  type ObjectKey,
  partsOf,
} from "../semantics/stored-object.ts";
import { firstPath, folderObjects, type Manifest, statusPath } from "./folder-objects.ts";
import {
  type FileState,
  fileState,
  readText,
  removeFile,
  walkManifests,
  writeAtomically,
} from "./manifest-files.ts";

const meanwhile = "until then the objects that were read there stay as they were";

const unreadableIssue = (path: string, problem: string): Issue =>
  unreadableFile({ path, problem, meanwhile });

function duplicateIssues([first, ...others]: readonly Manifest[]): readonly Issue[] {
  if (!first || others.every(({ parts }) => isSameDefinition(parts.body, first.parts.body))) return [];
  const { kind, namespace, name } = first.parts.key;
  const object = { kind, ...(namespace ? { namespace } : {}), name };
  const places = others.map(({ file }) => ({ file }));
  return [{ ...definedDifferently(object, places), file: first.file }];
}

/** `onIssue` is called for each new issue of the files, and `onFixed` for each issue that no longer exists. */
export type IssueListener = Readonly<{ onIssue?(issue: Issue): void; onFixed?(issue: Issue): void }>;

function issueReporter({ onIssue, onFixed }: IssueListener) {
  let reported = new Map<string, Issue>();
  return function report(
    ofFiles: readonly Issue[],
    duplicates: readonly (readonly Manifest[])[],
    skipped: ReadonlyMap<string, string>,
  ): void {
    const ofPaths = [...skipped].map(([path, problem]) => skippedPath({ path, problem, meanwhile }));
    const issues = [...ofPaths, ...ofFiles, ...duplicates.flatMap(duplicateIssues)];
    const current = new Map(issues.map((issue) => [JSON.stringify(issue), issue]));
    const before = reported;
    reported = current;
    for (const [text, issue] of before) if (!current.has(text)) onFixed?.(issue);
    for (const [text, issue] of current) if (!before.has(text)) onIssue?.(issue);
  };
}

/** How long a changed or removed file must stay unchanged before its new state is used. */
export const settleMs = 100;
/** Like `settleMs`, for an empty file. Usually a program has just emptied the file and is about to write it. */
const emptySettleMs = 1_000;
/** Resolution of the kernel's file clock: two writes within this time may have the same change time. */
const clockTickMs = 20;
/** After this many attempts, a read returns the last complete content, and a write fails. */
const maxAttempts = 5;

type FileRecord = Readonly<{ identity: string; readMs: number; issues: readonly Issue[] }>;

/** Returns functions that scan and write the files below `root`, and update the objects in `store`. */
export function folderFiles(root: string, store: MemoryStore, clock: HubClock, listener: IssueListener) {
  const records = new Map<string, FileRecord>();
  /** Changed or missing files that are not read yet, by path. A program may still be writing them. */
  const pending = new Map<string, Readonly<{ identity: string; sinceMs: number }>>();
  const report = issueReporter(listener);
  let scannedMs = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  const objects = folderObjects(store, clock, (key) => {
    removeFile(join(root, statusPath(key)));
    forget(statusPath(key));
  });

  function forget(path: string): void {
    records.delete(path);
    objects.define(path, []);
  }

  function isSettled(path: string, identity: string, afterMs = settleMs): boolean {
    const known = pending.get(path);
    const nowMs = Date.now();
    if (known?.identity !== identity) pending.set(path, { identity, sinceMs: nowMs });
    else if (nowMs - known.sinceMs >= afterMs) return pending.delete(path);
    return false;
  }

  /** While the text has issues, the file's earlier objects also stay, since a person may be editing the file. */
  function apply(path: string, identity: string, readMs: number, text: string): void {
    const { objects: located, issues } = readManifests(text, path);
    const found = located.map(({ object }): Manifest => ({ parts: partsOf(object), file: path }));
    const foundKeys = new Set(found.map(({ parts }) => keyText(parts.key)));
    const kept = objects.inFile(path).filter(({ parts }) => !foundKeys.has(keyText(parts.key)));
    records.set(path, { identity, readMs, issues });
    objects.define(path, issues.length > 0 ? [...found, ...kept] : found);
  }

  function read(path: string, { identity }: FileState): void {
    const readMs = Date.now();
    const content = readText(join(root, path));
    if (content.text !== undefined) apply(path, identity, readMs, content.text);
    else records.set(path, { identity, readMs, issues: [unreadableIssue(path, content.problem)] });
  }

  /** A change in the same clock tick as the last read may leave the file's times unchanged. */
  function hasChanged(path: string, { identity, changedMs }: FileState): boolean {
    const known = records.get(path);
    return known?.identity !== identity || Math.abs(known.readMs - changedMs) < clockTickMs;
  }

  /** Applies settled changes; the first scan reads every file. Returns whether some have not settled. */
  function scan(isFirst = false): boolean {
    const startMs = performance.now();
    const { files, skipped } = walkManifests(root);
    let isWaiting = false;
    for (const [path, state] of files) {
      if (!hasChanged(path, state)) continue;
      const isSame = records.get(path)?.identity === state.identity;
      const afterMs = state.isEmpty ? emptySettleMs : settleMs;
      if (isFirst || isSame || isSettled(path, state.identity, afterMs)) read(path, state);
      else isWaiting = true;
    }
    const isSkipped = (path: string) => [...skipped.keys()].some((one) => `${path}/`.startsWith(`${one}/`));
    // Missing files are forgotten after changed ones are read, so that the objects of a renamed file are never absent.
    const missing = isWaiting
      ? []
      : [...records.keys()].filter((path) => !files.has(path) && !isSkipped(path));
    for (const path of missing)
      if (isSettled(path, "missing")) forget(path);
      else isWaiting = true;
    report(
      [...records.values()].flatMap(({ issues }) => issues),
      objects.duplicates(),
      skipped,
    );
    scannedMs = performance.now();
    tookMs = scannedMs - startMs;
    return isWaiting;
  }

  function write(path: string, text: string, options: Readonly<{ synced: boolean }>): void {
    writeAtomically(join(root, path), text, options);
    const readMs = Date.now();
    apply(path, fileState(join(root, path))?.identity ?? "", readMs, text);
  }

  const pathOf = (key: ObjectKey) => objects.definitionsOf(key)[0]?.file ?? firstPath(key);

  return {
    scan,
    write,
    objects,
    fileOf: (key: ObjectKey): string | undefined => objects.definitionsOf(key)[0]?.file,

    /** Scans until no file is changing, at most `maxAttempts` times. Does nothing shortly after a scan. */
    async refreshAll(): Promise<void> {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        if (performance.now() - scannedMs < 2 * tookMs || !scan()) return;
        await sleep(settleMs);
      }
    },

    /** Scans the files if the object's file has changed. Returns false if the file is still changing. */
    async refresh(key: ObjectKey): Promise<boolean> {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const path = pathOf(key);
        if (fileState(join(root, path))?.identity === records.get(path)?.identity) return true;
        if (scan()) await sleep(settleMs);
      }
      return false;
    },

    locate(key: ObjectKey, file: string): Readonly<{ text: string; located: LocatedObject }> {
      const { text } = readText(join(root, file));
      const found = text === undefined ? [] : readManifests(text, file).objects;
      const located = found.find(({ object }) => keyText(partsOf(object).key) === keyText(key));
      if (text !== undefined && located) return { text, located };
      throw new HubError(
        "Unavailable",
        `${key.kind}/${key.name} is in a part of ${file} that cannot be read; fix the file first`,
      );
    },

    remove(path: string): void {
      removeFile(join(root, path));
      forget(path);
    },
  };
}
