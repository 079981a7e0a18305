import type { JsonObject } from "../domain/events/envelope.ts";
import { displayName, referenceTo } from "../domain/kubernetes/object.ts";
import type { ObjectChange } from "../ports/hub.ts";
import type { Hint, Watches } from "./controller.ts";

/** Feedback of an event: what the object's annotations request has changed. */
export const annotationsChanged = { wishes: true } as const;

/** Reports whether a hint has this feedback. */
export function areAnnotationsChanged({ feedback }: Pick<Hint, "feedback">): boolean {
  return feedback?.wishes === annotationsChanged.wishes;
}

/**
 * Returns a function that gets every change, in order, and returns the feedback for its event: `annotationsChanged`, or
 * nothing.
 */
export function annotationChanges(
  allWatches: readonly Pick<Watches, "fingerprint">[],
): (change: ObjectChange) => JsonObject | undefined {
  const known = new Map<string, string>();
  return ({ verb, object }) => {
    const requested = allWatches.flatMap(({ fingerprint }) => fingerprint?.(object) ?? []);
    if (requested.length === 0) return undefined;
    const name = displayName(referenceTo(object));
    const [before, now] = [known.get(name), JSON.stringify(requested)];
    if (verb === "delete") known.delete(name);
    else known.set(name, now);
    return verb === "update" && before !== undefined && before !== now ? annotationsChanged : undefined;
  };
}
