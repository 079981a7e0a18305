import { selection } from "#shared/adapters/hub/semantics/hub-on-store.ts";
import { keyOf, keyText } from "#shared/adapters/hub/semantics/stored-object.ts";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { isKind, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Hub, ObjectChange } from "#shared/ports/hub.ts";

/**
 * Returns a hub that is read as it was after these changes, while writes go to the present one: a server that lags, or a
 * process that was paused between its reads and its writes.
 */
export function olderHub(hub: Hub, changes: readonly ObjectChange[]): Hub {
  const objects = new Map<string, KubernetesObject>();
  for (const { verb, object } of changes) {
    const key = keyText(keyOf(referenceTo(object)));
    if (verb === "delete") objects.delete(key);
    else objects.set(key, object);
  }
  return {
    ...hub,
    get: async (kind, name, namespace = "") =>
      kind.namespaced && !namespace ? undefined : objects.get(keyText(keyOf({ ...kind, name, namespace }))),
    async list(kind, { namespace, keep = (object: KubernetesObject) => object, ...options } = {}) {
      const isSelected = selection(options);
      return [...objects]
        .sort(([a], [b]) => byCodeUnit(a, b))
        .map(([, object]) => object)
        .filter((object) => isKind(kind, object) && isSelected(object))
        .filter((object) => !kind.namespaced || !namespace || object.metadata.namespace === namespace)
        .map(keep);
    },
  };
}
