import { setTimeout as sleep } from "node:timers/promises";
import type { Kind } from "../domain/kubernetes/kinds.ts";
import { type KubernetesObject, type ObjectReference, referenceTo } from "../domain/kubernetes/object.ts";
import type { ObjectChange } from "../ports/hub.ts";
import type { Source } from "./controller.ts";

/** A change of a source object; `isMany` when it represents others of its kind as well. */
export type SourceChange = Readonly<{
  verb: ObjectChange["verb"];
  reference: ObjectReference;
  isMany: boolean;
}>;

/** Up to this many objects of a kind are passed on individually; of more, one represents all. */
const maxIndividual = 20;

/** Feedback of an event that represents many objects of its kind. */
export const manyOfKind = { many: true } as const;

const nameOf = ({ metadata }: KubernetesObject) => `${metadata.namespace ?? ""}/${metadata.name}`;

/** Returns a function that reports whether a change alters the fingerprint. */
export function fingerprintChanges({ fingerprint }: Source): (change: ObjectChange) => boolean {
  if (!fingerprint) return () => true;
  const known = new Map<string, string>();
  return ({ verb, object }) => {
    const name = nameOf(object);
    if (verb === "delete") return known.delete(name);
    const before = known.get(name);
    const now = fingerprint(object);
    known.set(name, now);
    return before !== now;
  };
}

export type Debounced = Readonly<{ put(change: ObjectChange): void }>;

/**
 * Passes on the first change at once, and the changes of each following interval together: the latest of each object,
 * and one for all of a kind with very many. Nothing is passed on after the signal has aborted.
 */
export function debounce({
  intervalMs,
  signal,
  pass,
  delay = async (ms) => {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  },
}: Readonly<{
  intervalMs: number;
  signal: AbortSignal;
  pass(changes: readonly SourceChange[]): Promise<void>;
  delay?: ((ms: number) => Promise<void>) | undefined;
}>): Debounced {
  const waiting = new Map<string, Map<string, ObjectChange>>();
  let isBusy = false;

  function take(): readonly SourceChange[] {
    const kinds = [...waiting.values()];
    waiting.clear();
    return kinds.flatMap((changes) => {
      const all = [...changes.values()];
      const isMany = all.length > maxIndividual;
      return (isMany ? all.slice(0, 1) : all).map(({ verb, object }) => ({
        verb,
        reference: referenceTo(object),
        isMany,
      }));
    });
  }

  async function work(): Promise<void> {
    isBusy = true;
    while (waiting.size > 0 && !signal.aborted) {
      await pass(take());
      await delay(intervalMs);
    }
    isBusy = false;
  }

  const kindOf = ({ apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">) => `${apiVersion} ${kind}`;
  return {
    put(change) {
      const kind = kindOf(change.object);
      const changes = waiting.get(kind) ?? new Map<string, ObjectChange>();
      changes.set(nameOf(change.object), change);
      waiting.set(kind, changes);
      if (!isBusy) void work();
    },
  };
}
