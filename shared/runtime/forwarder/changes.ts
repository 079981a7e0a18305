import { setTimeout as sleep } from "node:timers/promises";
import {
  type Kind,
  namespacedName,
  type ObjectReference,
  referenceTo,
} from "../../domain/kubernetes/object.ts";
import type { Verb } from "../../domain/plan/hub-event.ts";
import type { ObjectChange } from "../../ports/hub.ts";
import { everyName, type Watch } from "../controller.ts";
import { isNameSelected } from "../references.ts";

type ChangeFilter = (change: ObjectChange) => boolean;

/** Returns a function that reports whether a change is relevant. It must get every change of the watch, in order. */
export function changeFilter({ selector, fingerprint, refersTo }: Watch): ChangeFilter {
  const known = new Map<string, string>();
  const isChange: ChangeFilter = ({ verb, object }) => {
    if (!isNameSelected(selector, object.metadata.name)) return false;
    if (refersTo && !refersTo(object, verb)) return false;
    if (!fingerprint) return true;
    const name = namespacedName(object.metadata);
    if (verb === "delete") return known.delete(name);
    const before = known.get(name);
    const now = fingerprint(object);
    known.set(name, now);
    return before !== now;
  };
  return (change) => {
    try {
      return isChange(change);
    } catch {
      // The object is invalid. Its change is forwarded, so that the function reports the error and the watch continues.
      return true;
    }
  };
}

const intervalMs = 10_000;
/** If more objects of a kind have changed, one change with the name `everyName` is passed on for all of them. */
const maxIndividual = 20;

/** A change to pass on. The name in its reference may be `everyName`. */
export type DebouncedChange = Readonly<{ verb: Verb; reference: ObjectReference }>;

export type Debounced = Readonly<{ put(change: ObjectChange): void }>;

/** Returns a debouncer. It passes on the first change at once, and then every ten seconds each object's last change. */
export function debounce({
  signal,
  pass,
  delay = async (ms) => {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  },
}: Readonly<{
  signal: AbortSignal;
  pass(changes: readonly DebouncedChange[]): Promise<void>;
  delay?: ((ms: number) => Promise<void>) | undefined;
}>): Debounced {
  const waiting = new Map<string, Map<string, ObjectChange>>();
  let isBusy = false;

  function take(): readonly DebouncedChange[] {
    const kinds = [...waiting.values()];
    waiting.clear();
    return kinds.flatMap((changes): readonly DebouncedChange[] => {
      const all = [...changes.values()];
      const [first] = all;
      if (!first || all.length <= maxIndividual)
        return all.map(({ verb, object }) => ({ verb, reference: referenceTo(object) }));
      const { apiVersion, kind } = first.object;
      return [{ verb: "update", reference: { apiVersion, kind, name: everyName } }];
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
      changes.set(namespacedName(change.object.metadata), change);
      waiting.set(kind, changes);
      if (!isBusy) void work();
    },
  };
}
