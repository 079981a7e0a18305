import type { Kind, KubernetesObject } from "../../../domain/kubernetes/object.ts";
import type { HubChange, HubError } from "../../../ports/hub.ts";
import { asHubError } from "../semantics/hub-on-store.ts";
import { keyText, type StoredObject, toObject } from "../semantics/stored-object.ts";
import { watchChanges } from "../semantics/watch-changes.ts";
import type { ChangeSignals } from "./change-signals.ts";
import type { DirectoryScanner } from "./directory-scanner.ts";
import { failureOf } from "./hub-errors.ts";
import type { ObjectIndex } from "./object-index.ts";

/**
 * Returns a function that returns what has changed in some kinds since the last call, compared with what was reported
 * before: several changes of one object between two calls are one, a new object under an old name is a delete and an
 * add. The first call returns an `add` for every object.
 */
function changeReader(index: ObjectIndex, kinds: readonly Kind[]): () => readonly HubChange[] {
  const reported = new Map<string, KubernetesObject>();
  let revision = 0;
  let removal = 0;

  function removals(): HubChange[] {
    const present = new Set(kinds.flatMap((kind) => index.keys(kind)).map(keyText));
    const gone = [...reported].filter(([id]) => !present.has(id));
    for (const [id] of gone) reported.delete(id);
    return gone.map(([, object]) => ({ verb: "delete", object }));
  }

  function changesOf(stored: StoredObject): HubChange[] {
    const id = keyText(stored.key);
    const before = reported.get(id);
    if (before?.metadata.resourceVersion === String(stored.server.revision)) return [];
    const object = toObject(stored);
    reported.set(id, object);
    if (!before) return [{ verb: "add", object }];
    if (before.metadata.uid === object.metadata.uid) return [{ verb: "update", object }];
    return [
      { verb: "delete", object: before },
      { verb: "add", object },
    ];
  }

  return function changes() {
    const nextRevision = index.revision();
    const nextRemoval = index.removal();
    const removed = nextRemoval > removal ? removals() : [];
    const changed =
      nextRevision > revision
        ? kinds.flatMap((kind) => index.changedSince(kind, revision)).flatMap(changesOf)
        : [];
    revision = nextRevision;
    removal = nextRemoval;
    return [...removed, ...changed];
  };
}

const retryMs = 1_000;

/**
 * Watches of one hub. They share the scans: the first one that wakes reads the files, the others the index. An error is
 * reported once and does not end a watch: it continues with the changes since the last successful read.
 */
export function objectWatches(
  index: ObjectIndex,
  scanner: Pick<DirectoryScanner, "scan">,
  signals: ChangeSignals,
  onWatchError: (error: HubError) => void,
) {
  let scanned = -1;
  let watches = 0;
  const closing = new AbortController();
  let lastError = "";
  let retryAtMs = 0;

  function scanOnce(signal: number): void {
    if (scanned >= signals.filesAt()) return;
    const { directories, againMs } = scanner.scan();
    signals.observe(directories, againMs);
    scanned = signal;
    lastError = "";
  }

  function readChanges(
    signal: number,
    changes: () => readonly HubChange[],
  ): readonly HubChange[] | undefined {
    // A write that fails on a full disk changes the index's files, which is a signal of its own.
    const waitMs = retryAtMs - Date.now();
    if (waitMs > 0) {
      signals.raiseLater(waitMs); // a timer may end before the clock says so, and nothing else may come
      return undefined;
    }
    try {
      scanOnce(signal);
      return changes();
    } catch (error) {
      const hubError = asHubError(error, "watch", failureOf);
      if (hubError.message !== lastError) onWatchError(hubError);
      lastError = hubError.message;
      retryAtMs = Date.now() + retryMs;
      signals.raiseLater(retryMs);
      return undefined;
    }
  }

  return {
    /** Yields every change of these kinds until the signal aborts. */
    async *watch(kinds: readonly Kind[], abort: AbortSignal): AsyncGenerator<HubChange, void, void> {
      const changes = changeReader(index, kinds);
      const end = AbortSignal.any([abort, closing.signal]);
      if (watches++ === 0) signals.raise(); // no watch has read the files until now
      try {
        yield* watchChanges(signals, end, (signal) => readChanges(signal, changes));
      } finally {
        if (--watches === 0) signals.close();
      }
    },

    /** Ends all watches. */
    close(): void {
      closing.abort();
      signals.close();
    },
  };
}
