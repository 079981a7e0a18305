import type { ObjectReference } from "../domain/kubernetes/object.ts";
import type { Hint } from "./controller.ts";

/** So many are remembered: their events come within seconds, and one that is forgotten costs a look. */
const longestMemory = 1_000;

/**
 * The versions that this process has written itself. The event of such a write tells nothing: deciding again after a
 * plan was applied gives no actions, and whatever came after it has an event of its own. An `add` is never taken
 * for one: that is how the resync tick asks for a look.
 */
export function ownWrites(): Readonly<{
  note(written: ObjectReference): void;
  isEcho(hint: Pick<Hint, "verb" | "reference">): boolean;
}> {
  const versions = new Map<string, string>();
  return {
    note({ uid, resourceVersion }) {
      if (!uid || !resourceVersion) return;
      versions.delete(uid);
      versions.set(uid, resourceVersion);
      const [oldest] = versions.keys();
      if (versions.size > longestMemory && oldest !== undefined) versions.delete(oldest);
    },
    isEcho: ({ verb, reference: { uid, resourceVersion } }) =>
      verb === "update" &&
      uid !== undefined &&
      resourceVersion !== undefined &&
      versions.get(uid) === resourceVersion,
  };
}
