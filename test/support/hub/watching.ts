import { displayName, type Kind, referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Hub, HubChange, WatchOptions } from "#shared/ports/hub.ts";

/** A running watch whose changes a test can await. */
export type Watching = Readonly<{
  /** The changes so far, as `add ImageDigestMirrorSet/acme`, without objects of other tests. */
  seen: readonly string[];
  changes: readonly HubChange[];
  /** Resolves once this change has been seen this many times; fails when the watch ends before. */
  until(change: string, times?: number): Promise<void>;
  /** Resolves when the iteration has ended, fails when it failed. */
  ended: Promise<void>;
}>;

/** Watches until the signal aborts; records only objects whose name contains `mine`. */
export function watching(
  hub: Hub,
  kind: Kind,
  signal: AbortSignal,
  mine: string,
  options?: WatchOptions,
): Watching {
  const seen: string[] = [];
  const changes: HubChange[] = [];
  const waiting: { change: string; times: number; found(): void; lost(error: Error): void }[] = [];
  const count = (change: string) => seen.filter((text) => text === change).length;

  const record = (change: HubChange) => {
    const object = change.verb === "synced" ? undefined : change.object;
    if (object && !object.metadata.name.includes(mine)) return;
    const text = object ? `${change.verb} ${displayName(referenceTo(object))}` : change.verb;
    seen.push(text);
    changes.push(change);
    for (const { change, times, found } of waiting) if (count(change) >= times) found();
  };
  const run = async () => {
    for await (const change of hub.watch(kind, signal, options)) record(change);
    for (const { change, lost } of waiting) lost(new Error(`the watch ended without "${change}"`));
  };

  const ended = run();
  return {
    seen,
    changes,
    ended,
    until: (change, times = 1) =>
      new Promise<void>((found, lost) => {
        if (count(change) >= times) found();
        else waiting.push({ change, times, found, lost });
        ended.catch(lost);
      }),
  };
}
