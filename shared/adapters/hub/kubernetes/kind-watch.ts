import type { Kind } from "../../../domain/kubernetes/kinds.ts";
import { type HubChange, HubError, type WatchOptions } from "../../../ports/hub.ts";
import { backOff } from "../../network/back-off.ts";
import { isAbsent, isExpired } from "./api-error.ts";
import type { Connection } from "./connection.ts";
import { knownObjects } from "./known-objects.ts";
import { listPages } from "./list-pages.ts";
import { watchEvents } from "./watch-stream.ts";

/** Trouble that a watch is in and gets out of by itself. */
export type WatchTrouble = Readonly<{ kind: string; error: HubError }>;

export type KindWatchOptions = Omit<WatchOptions, "metadataOnly"> &
  Readonly<{
    /** Objects come without spec and status. */
    metadataOnly: boolean;
    /** Longest time without a byte before a watch is opened anew; servers send a bookmark about once a minute. */
    silenceMs: number;
    /** How often to look for a kind that is not installed. */
    absentKindMs: number;
    /** First and longest pause between attempts. */
    retryMs: Readonly<{ first: number; longest: number }>;
    onTrouble(trouble: WatchTrouble): void;
  }>;

/** A watch that has lived this long was no failed attempt, whatever ended it. */
const lifeMs = 5_000;
/** Failed attempts to go on from a version before the list is read anew: it may be one that no server has. */
const attemptsPerList = 5;

/**
 * Every change of one kind until the signal aborts: all objects as `add`, `synced`, then what changes. Whatever
 * happens (a version too old, a dropped or silent connection, a server that is restarted, refused requests, a
 * kind that vanishes) it goes on, and tells the difference to what it has told before.
 */
export async function* watchKind(
  connection: Connection,
  kind: Kind,
  signal: AbortSignal,
  { metadataOnly, silenceMs, absentKindMs, retryMs, onTrouble, ...selection }: KindWatchOptions,
): AsyncGenerator<HubChange, void, void> {
  const known = knownObjects(kind);
  const retries = backOff({ firstMs: retryMs.first, longestMs: retryMs.longest });
  /** How far the watch has come; undefined when the list has to be read. */
  const position: { version: string | undefined } = { version: undefined };
  let failures = 0;
  let isSynced = false;

  /** Reads the list and tells what differs; a kind that is not installed has no objects, and no version. */
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
      silenceMs,
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

  /** What follows from an error: where to go on, and how long to wait at least. */
  function recover(error: unknown): number {
    if (!(error instanceof HubError)) throw error;
    const isLost = isExpired(error) || isAbsent(error);
    if (isLost || ++failures >= attemptsPerList) {
      position.version = undefined;
      failures = 0;
    }
    if (!isLost) onTrouble({ kind: kind.kind, error });
    return (error.retryAfterSeconds ?? 0) * 1000;
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
    if (performance.now() - followingSince >= lifeMs) retries.reset();
    await retries.pause(signal, atLeastMs);
  }
}
