import { type Access, groupOf } from "#shared/domain/kubernetes/access.ts";
import { type Kind, kindOf } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";

type Place = Readonly<{ namespace?: string | undefined; name?: string | undefined }>;

/** The permission that a request for a kind needs. */
function accessTo(verb: string, kind: Kind, { namespace, name }: Place = {}, subresource = ""): Access {
  return {
    verb,
    group: groupOf(kind),
    resource: `${kind.plural}${subresource}`,
    ...(kind.namespaced && namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
  };
}

/** The hub, with every request reported as the permission that a Kubernetes API would require of the client. */
export function recordedHub(hub: Hub, record: (access: Access) => void): Hub {
  const recordWrite = (
    verb: string,
    reference: Readonly<{ apiVersion: string; kind: string }> & Place,
    subresource = "",
  ) => {
    const kind = kindOf(reference);
    if (!kind) throw new Error(`${reference.kind} is not in the table of kinds`);
    record(accessTo(verb, kind, reference, subresource));
  };
  return {
    id: hub.id,
    get(kind, name, namespace) {
      record(accessTo("get", kind, { name, namespace }));
      return hub.get(kind, name, namespace);
    },
    list(kind, options) {
      record(accessTo("list", kind, { namespace: options?.namespace, name: options?.name }));
      return hub.list(kind, options);
    },
    create(object) {
      // The name of a new object is in the body, which rules do not see.
      const { apiVersion, kind, metadata } = object;
      recordWrite("create", { apiVersion, kind, namespace: metadata.namespace });
      return hub.create(object);
    },
    update(object) {
      recordWrite("update", { ...object, ...object.metadata });
      return hub.update(object);
    },
    updateStatus(object) {
      recordWrite("update", { ...object, ...object.metadata }, "/status");
      return hub.updateStatus(object);
    },
    delete(reference) {
      recordWrite("delete", reference);
      return hub.delete(reference);
    },
    watch(kind, signal, options) {
      const { name } = options ?? {};
      for (const verb of ["list", "watch"]) record(accessTo(verb, kind, { name }));
      return hub.watch(kind, signal, options);
    },
  };
}
