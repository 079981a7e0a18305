import type { ObjectReference } from "../domain/kubernetes/object.ts";
import type { HubEvent } from "../domain/plan/hub-event.ts";

/** Events arrive within seconds, and a forgotten version only costs one reconcile. */
const maxVersions = 1_000;

/**
 * The versions that this process has written itself. The event of such a write is redundant: deciding again after a
 * plan was applied gives no actions, and later changes have events of their own. An `add` never counts as one: the
 * resync tick uses it to request a reconcile.
 */
export function ownWrites(): Readonly<{
  note(written: ObjectReference): void;
  isEcho(event: Pick<HubEvent, "verb" | "reference">): boolean;
}> {
  // A cache would reserve its space with each handler, most of which write little.
  const versions = new Map<string, string>();
  return {
    note({ uid, resourceVersion }) {
      if (!uid || !resourceVersion) return;
      versions.delete(uid);
      versions.set(uid, resourceVersion);
      const [oldest = ""] = versions.keys();
      if (versions.size > maxVersions) versions.delete(oldest);
    },
    isEcho: ({ verb, reference: { uid, resourceVersion } }) =>
      verb === "update" &&
      uid !== undefined &&
      resourceVersion !== undefined &&
      versions.get(uid) === resourceVersion,
  };
}
