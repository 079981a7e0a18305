import type { JsonObject } from "../domain/events/envelope.ts";
import { displayName, referenceTo } from "../domain/kubernetes/object.ts";
import type { HubChange } from "../ports/hub.ts";
import type { Hint, Watches } from "./controller.ts";

/** A change of an object, as a watch tells it. */
export type Change = Exclude<HubChange, Readonly<{ verb: "synced" }>>;

/** In an event's feedback: what people ask of the object in its annotations has changed. */
export const annotationsChanged = { wishes: true } as const;

/** True for a hint that says so. */
export function areAnnotationsChanged({ feedback }: Pick<Hint, "feedback">): boolean {
  return feedback?.wishes === annotationsChanged.wishes;
}

/** What the event of a change tells of wishes: `annotationsChanged`, or nothing. Told of every change, in order. */
export function annotationChanges(
  allWatches: readonly Pick<Watches, "fingerprint">[],
): (change: Change) => JsonObject | undefined {
  const known = new Map<string, string>();
  return ({ verb, object }) => {
    const wishes = allWatches.flatMap(({ fingerprint }) => fingerprint?.(object) ?? []);
    if (wishes.length === 0) return undefined;
    const name = displayName(referenceTo(object));
    const [before, now] = [known.get(name), JSON.stringify(wishes)];
    if (verb === "delete") known.delete(name);
    else known.set(name, now);
    return verb === "update" && before !== undefined && before !== now ? annotationsChanged : undefined;
  };
}
