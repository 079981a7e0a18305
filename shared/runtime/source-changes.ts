import { setTimeout as sleep } from "node:timers/promises";
import type { Kind } from "../domain/kubernetes/kinds.ts";
import { type KubernetesObject, type ObjectReference, referenceTo } from "../domain/kubernetes/object.ts";
import type { HubChange } from "../ports/hub.ts";
import type { Source } from "./controller.ts";

type Change = Exclude<HubChange, Readonly<{ verb: "synced" }>>;

/** A change of an object that things are derived from; `isMany` when it stands for others of its kind as well. */
export type SourceChange = Readonly<{ verb: Change["verb"]; reference: ObjectReference; isMany: boolean }>;

/** So many objects of a kind are told one by one; of more, one stands for all. */
const mostAlone = 20;

/** In an event's feedback: it stands for many objects of its kind. */
export const manyOfKind = { many: true } as const;

const nameOf = ({ metadata }: KubernetesObject) => `${metadata.namespace ?? ""}/${metadata.name}`;

/** Tells whether a change is one of what matters. */
export function fingerprintChanges({ fingerprint }: Source): (change: Change) => boolean {
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

export type Debounced = Readonly<{ put(change: Change): void }>;

/**
 * Passes on the first change at once, and what comes in the rest after it together: of each object the latest, and of
 * a kind with very many one for all. Nothing is passed on after the signal has aborted.
 */
export function debounce({
  restMs,
  signal,
  pass,
  rest = async (ms) => {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  },
}: Readonly<{
  restMs: number;
  signal: AbortSignal;
  pass(changes: readonly SourceChange[]): Promise<void>;
  rest?: ((ms: number) => Promise<void>) | undefined;
}>): Debounced {
  const waiting = new Map<string, Map<string, Change>>();
  let isBusy = false;

  function take(): readonly SourceChange[] {
    const kinds = [...waiting.values()];
    waiting.clear();
    return kinds.flatMap((changes) => {
      const all = [...changes.values()];
      const isMany = all.length > mostAlone;
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
      await rest(restMs);
    }
    isBusy = false;
  }

  const kindOf = ({ apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">) => `${apiVersion} ${kind}`;
  return {
    put(change) {
      const kind = kindOf(change.object);
      const changes = waiting.get(kind) ?? new Map<string, Change>();
      changes.set(nameOf(change.object), change);
      waiting.set(kind, changes);
      if (!isBusy) void work();
    },
  };
}
