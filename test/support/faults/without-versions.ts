import { isKind, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";

/** Returns a hub that accepts a write whatever version was read: what is there, `present` has. */
export function withoutVersions(hub: Hub, present: Hub): Hub {
  const overwriting =
    (write: Hub["update"]): Hub["update"] =>
    async (object) => {
      const kind = Object.values(kinds).find((one) => isKind(one, object));
      const found = kind && (await present.get(kind, object.metadata.name, object.metadata.namespace));
      const { resourceVersion = "" } = found?.metadata ?? {};
      return write({ ...object, metadata: { ...object.metadata, resourceVersion } });
    };
  return { ...hub, update: overwriting(hub.update), updateStatus: overwriting(hub.updateStatus) };
}
