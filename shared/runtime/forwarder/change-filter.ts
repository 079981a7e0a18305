import { namespacedName } from "../../domain/kubernetes/object.ts";
import type { ObjectChange } from "../../ports/hub.ts";
import type { Watch } from "../controller.ts";
import { isNameSelected } from "../references.ts";

type ChangeFilter = (change: ObjectChange) => boolean;

/**
 * Returns a function that gets every change of a watch's objects, in order, and reports whether it is one for the
 * watch: the name is selected, and what matters about the object has changed.
 */
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
      // The function fails on this object too, and only on its message; the watch goes on for all others.
      return true;
    }
  };
}
