import type { Kind } from "../../../domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "../../../domain/kubernetes/object.ts";
import type { HubChange, HubError } from "../../../ports/hub.ts";
import type { ChangeSignals } from "./change-signals.ts";
import type { DirectoryScanner } from "./directory-scanner.ts";
import { asHubError } from "./hub-errors.ts";
import type { ObjectIndex, StoredObject } from "./object-index.ts";
import { toObject } from "./object-operations.ts";

/**
 * Returns a function that returns what has changed in some kinds since the last call, compared with what was reported
 * before: several changes of one object between two calls are one, a new object under an old name is a delete and an
 * add. The first call returns an `add` for every object.
 */
function changeReader(index: ObjectIndex, kinds: readonly Kind[]): () => readonly HubChange[] {
  const reported = new Map<string, KubernetesObject>();
  let revision = 0;
  let removal = 0;

  const idOf = ({ key }: StoredObject) => [key.apiVersion, key.kind, key.namespace, key.name].join("\n");

  function removals(): HubChange[] {
    const present = new Set(kinds.flatMap((kind) => index.objects(kind)).map(idOf));
    const gone = [...reported].filter(([id]) => !present.has(id));
    for (const [id] of gone) reported.delete(id);
    return gone.map(([, object]) => ({ verb: "delete", object }));
  }

  function changesOf(stored: StoredObject): HubChange[] {
    const id = idOf(stored);
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
  let isClosed = false;
  let lastError = "";

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
    try {
      scanOnce(signal);
      return changes();
    } catch (error) {
      const hubError = asHubError(error, "watch");
      if (hubError.message !== lastError) onWatchError(hubError);
      lastError = hubError.message;
      signals.raiseLater(retryMs);
      return undefined;
    }
  }

  return {
    /** Yields every change of these kinds until the signal aborts. */
    async *watch(kinds: readonly Kind[], abort: AbortSignal): AsyncGenerator<HubChange, void, void> {
      const changes = changeReader(index, kinds);
      const hasEnded = () => abort.aborted || isClosed;
      abort.addEventListener("abort", signals.raise);
      if (watches++ === 0) signals.raise(); // no watch has read the files until now
      let isSynced = false;
      try {
        while (!hasEnded()) {
          const signal = signals.count();
          const changed = readChanges(signal, changes);
          for (const change of changed ?? []) {
            yield change;
            if (hasEnded()) return;
          }
          if (changed && !isSynced) {
            yield { verb: "synced" };
            isSynced = true;
          }
          await signals.next(signal);
        }
      } finally {
        abort.removeEventListener("abort", signals.raise);
        if (--watches === 0) signals.close();
      }
    },

    /** Ends all watches. */
    close(): void {
      isClosed = true;
      signals.raise();
      signals.close();
    },
  };
}
