import {
  type Kind,
  type KubernetesObject,
  namespacedName,
  parseNamespacedName,
} from "../../../domain/kubernetes/object.ts";
import {
  type HubChange,
  HubError,
  isRefused,
  type ObjectChange,
  type WatchOptions,
} from "../../../ports/hub.ts";
import { refusedRetryMs } from "../../../runtime/refused-messages.ts";
import { backOff } from "../../network/back-off.ts";
import { isAbsent, isExpired } from "./api-error.ts";
import type { Connection } from "./connection.ts";
import { listPages } from "./list-pages.ts";
import { watchEvents } from "./watch-stream.ts";

function versionOf({ metadata: { uid = "", resourceVersion = "" } }: KubernetesObject): string {
  // `join` makes a new string. A template string would keep the two original strings in memory.
  return [uid, resourceVersion].join(" ");
}

function parts(version: string): Readonly<{ uid: string; resourceVersion: string }> {
  const space = version.indexOf(" ");
  return { uid: version.slice(0, space), resourceVersion: version.slice(space + 1) };
}

/** Returns a record of the objects that a watch of one kind has reported. Its functions return what has changed. */
export function knownObjects({ apiVersion, kind }: Kind) {
  const known = new Map<string, string>();

  /** Returns a deletion that only has the object's identity, since the watch missed the server's event. */
  function gone(key: string, version: string): ObjectChange {
    const { namespace, name } = parseNamespacedName(key);
    const metadata = { name, ...(namespace ? { namespace } : {}), ...parts(version) };
    return { verb: "delete", object: { apiVersion, kind, metadata } };
  }

  function stored(object: KubernetesObject): readonly ObjectChange[] {
    const key = namespacedName(object.metadata);
    const before = known.get(key);
    const now = versionOf(object);
    if (before === now) return [];
    known.set(key, now);
    if (before === undefined) return [{ verb: "add", object }];
    if (parts(before).uid !== object.metadata.uid) return [gone(key, before), { verb: "add", object }];
    return [{ verb: "update", object }];
  }

  return {
    /** Returns no change if this version was already reported, since a watch may repeat an event. */
    stored,

    deleted(object: KubernetesObject): readonly ObjectChange[] {
      return known.delete(namespacedName(object.metadata)) ? [{ verb: "delete", object }] : [];
    },

    relisted() {
      let unlisted = new Set(known.keys());
      return {
        listed(object: KubernetesObject): readonly ObjectChange[] {
          unlisted.delete(namespacedName(object.metadata));
          return stored(object);
        },
        restarted(): void {
          unlisted = new Set(known.keys());
        },
        complete(): readonly ObjectChange[] {
          return [...unlisted].map((key) => {
            const change = gone(key, known.get(key) ?? "");
            known.delete(key);
            return change;
          });
        },
      };
    },
  };
}

/** An error after which a watch continues by itself. */
export type WatchError = Readonly<{ kind: string; error: HubError }>;

export type KindWatchOptions = Omit<WatchOptions, "metadataOnly"> &
  Readonly<{
    metadataOnly: boolean;
    /** After this time without a byte, the watch is opened again. Servers send a bookmark about once a minute. */
    idleTimeoutMs: number;
    /** How often a kind that is not installed is looked up again. */
    absentKindMs: number;
    retryMs: Readonly<{ first: number; max: number }>;
    /** The maximum wait that a server's Retry-After can cause. */
    maxRetryAfterMs: number;
    onError(watchError: WatchError): void;
  }>;

/** After a watch that lasted this long, the next pause is as short as after a first failure. */
const minLifetimeMs = 5_000;
/** After this many failed attempts to resume, the objects are listed again: the version may be too old. */
const maxResumeAttempts = 5;

/**
 * Yields every change of one kind until the signal aborts: first all objects as `add`, then `synced`, then changes.
 * After any failure, the watch resumes and yields the differences from the objects that it has reported before.
 */
export async function* watchKind(
  connection: Connection,
  kind: Kind,
  signal: AbortSignal,
  {
    metadataOnly,
    idleTimeoutMs,
    absentKindMs,
    retryMs,
    maxRetryAfterMs,
    onError,
    ...selection
  }: KindWatchOptions,
): AsyncGenerator<HubChange, void, void> {
  const known = knownObjects(kind);
  const retries = backOff({ firstMs: retryMs.first, maxMs: retryMs.max });
  const position: { version: string | undefined } = { version: undefined };
  let failures = 0;
  let isSynced = false;

  async function* relist(): AsyncGenerator<HubChange, void, void> {
    const comparison = known.relisted();
    let version: string | undefined;
    try {
      for await (const page of listPages(connection, kind, { ...selection, metadataOnly, signal })) {
        if (page.isFirst) comparison.restarted();
        for (const object of page.objects) yield* comparison.listed(object);
        version = page.resourceVersion;
      }
    } catch (error) {
      if (!isAbsent(error)) throw error;
      comparison.restarted();
      version = undefined;
    }
    yield* comparison.complete();
    if (!isSynced) yield { verb: "synced" };
    isSynced = true;
    position.version = version;
  }

  async function* follow(resourceVersion: string): AsyncGenerator<HubChange, void, void> {
    const events = watchEvents(connection, kind, {
      ...selection,
      resourceVersion,
      metadataOnly,
      idleTimeoutMs,
      signal,
    });
    for await (const event of events) {
      failures = 0;
      retries.reset();
      if (event.type === "BOOKMARK") position.version = event.resourceVersion;
      else {
        yield* event.type === "DELETED" ? known.deleted(event.object) : known.stored(event.object);
        position.version = event.object.metadata.resourceVersion ?? position.version;
      }
    }
  }

  /** Handles an error of the watch, and returns the minimum wait in milliseconds before the next attempt. */
  function recover(error: unknown): number {
    if (!(error instanceof HubError)) throw error;
    const isLost = isExpired(error) || isAbsent(error);
    if (isLost || ++failures >= maxResumeAttempts) {
      position.version = undefined;
      failures = 0;
    }
    if (!isLost) onError({ kind: kind.kind, error });
    if (isRefused(error)) {
      retries.reset();
      return refusedRetryMs;
    }
    return Math.min((error.retryAfterSeconds ?? 0) * 1000, maxRetryAfterMs);
  }

  while (!signal.aborted) {
    let atLeastMs = 0;
    let followingSince = Number.POSITIVE_INFINITY;
    try {
      if (position.version === undefined) yield* relist();
      if (position.version === undefined) atLeastMs = absentKindMs;
      else {
        followingSince = performance.now();
        yield* follow(position.version);
      }
    } catch (error) {
      if (signal.aborted) return;
      atLeastMs = recover(error);
    }
    if (performance.now() - followingSince >= minLifetimeMs) retries.reset();
    await retries.pause(signal, atLeastMs);
  }
}
