import type { Kind } from "../../domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "../../domain/kubernetes/object.ts";
import type { HubChange } from "../../ports/hub.ts";
import type { ObjectIndex, StoredObject } from "./object-index.ts";
import { answerOf } from "./object-operations.ts";

/**
 * What has changed in some kinds since the last look, by comparing with what was told before: several changes
 * of one object between two looks are told as one, a new object under an old name as delete and add.
 */
export function objectWatch(index: ObjectIndex, kinds: readonly Kind[]) {
  const told = new Map<string, KubernetesObject>();
  let revision = 0;
  let removal = 0;

  const idOf = ({ key }: StoredObject) => [key.apiVersion, key.kind, key.namespace, key.name].join("\n");

  function removals(): HubChange[] {
    const present = new Set(kinds.flatMap((kind) => index.objects(kind)).map(idOf));
    const gone = [...told].filter(([id]) => !present.has(id));
    for (const [id] of gone) told.delete(id);
    return gone.map(([, object]) => ({ verb: "delete", object }));
  }

  function changesOf(stored: StoredObject): HubChange[] {
    const id = idOf(stored);
    const before = told.get(id);
    if (before?.metadata.resourceVersion === String(stored.server.revision)) return [];
    const object = answerOf(stored);
    told.set(id, object);
    if (!before) return [{ verb: "add", object }];
    if (before.metadata.uid === object.metadata.uid) return [{ verb: "update", object }];
    return [
      { verb: "delete", object: before },
      { verb: "add", object },
    ];
  }

  /** The changes since the last call; at the first an `add` for every object. */
  return function changes(): readonly HubChange[] {
    const nextRevision = index.revision();
    const nextRemoval = index.removal();
    const removed = nextRemoval > removal ? removals() : [];
    const changed =
      nextRevision > revision
        ? kinds.flatMap((kind) => index.changedSince(kind, revision)).flatMap(changesOf)
        : [];
    revision = nextRevision;
    removal = nextRemoval;
    return [...removed, ...changed];
  };
}
