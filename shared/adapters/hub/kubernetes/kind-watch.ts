import type { Kind } from "../../../domain/kubernetes/object.ts";
import { type HubChange, HubError, isRefused, type WatchOptions } from "../../../ports/hub.ts";
import { refusedRetryMs } from "../../../runtime/refused-messages.ts";
import { backOff } from "../../network/back-off.ts";
import { isAbsent, isExpired } from "./api-error.ts";
import type { Connection } from "./connection.ts";
import { knownObjects } from "./known-objects.ts";
import { listPages } from "./list-pages.ts";
import { watchEvents } from "./watch-stream.ts";

/** An error from which a watch recovers on its own. */
export type WatchError = Readonly<{ kind: string; error: HubError }>;

export type KindWatchOptions = Omit<WatchOptions, "metadataOnly"> &
  Readonly<{
    metadataOnly: boolean;
    /** Longest time without a byte before a watch is reopened; servers send a bookmark about once a minute. */
    idleTimeoutMs: number;
    /** How often to check for a kind that is not installed. */
    absentKindMs: number;
    /** First and longest pause between attempts. */
    retryMs: Readonly<{ first: number; max: number }>;
    /** The longest pause that the server may ask for. */
    maxRetryAfterMs: number;
    onError(watchError: WatchError): void;
  }>;

/** A watch that has lasted this long was not a failed attempt, whatever ended it. */
const minLifetimeMs = 5_000;
/** Failed attempts to resume from a version before a new list: the version may be unknown to every server. */
const maxResumeAttempts = 5;

/**
 * Yields every change of one kind until the signal aborts: all objects as `add`, `synced`, then changes. After any
 * failure (an expired version, a dropped or silent connection, a server restart, rejected requests, a kind that
 * disappears) it resumes, and yields the difference to what it has reported before.
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
  /** The version to resume from; undefined when a list is needed. */
  const position: { version: string | undefined } = { version: undefined };
  let failures = 0;
  let isSynced = false;

  /** Lists the objects and yields what differs; a kind that is not installed has no objects, and no version. */
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

  /** Sets where to resume after an error, and returns the minimum wait. */
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
