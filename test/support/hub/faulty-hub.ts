import type { Kind, ObjectReference } from "#shared/domain/kubernetes/object.ts";
import type { Hub, HubError } from "#shared/ports/hub.ts";

/** A hub that counts requests by verb and kind (`create ManifestWork`) and may fail them instead. */
export function faultyHub(
  hub: Hub,
  fault: (request: string, reference: ObjectReference) => HubError | undefined = () => undefined,
): Readonly<{ hub: Hub; requests: ReadonlyMap<string, number> }> {
  const requests = new Map<string, number>();
  async function ask<Result>(
    verb: string,
    { apiVersion, kind }: Pick<Kind, "apiVersion" | "kind">,
    { name = "", namespace = "" }: Readonly<{ name?: string; namespace?: string | undefined }>,
    request: () => Promise<Result>,
  ): Promise<Result> {
    const asked = `${verb} ${kind}`;
    requests.set(asked, (requests.get(asked) ?? 0) + 1);
    const error = fault(asked, { apiVersion, kind, name, namespace });
    if (error) throw error;
    return request();
  }
  return {
    requests,
    hub: {
      ...hub,
      get: (kind, name, namespace) =>
        ask("get", kind, { name, namespace }, () => hub.get(kind, name, namespace)),
      list: (kind, options) => ask("list", kind, {}, () => hub.list(kind, options)),
      create: (object) => ask("create", object, object.metadata, () => hub.create(object)),
      update: (object) => ask("update", object, object.metadata, () => hub.update(object)),
      updateStatus: (object) => ask("update-status", object, object.metadata, () => hub.updateStatus(object)),
      delete: (reference) => ask("delete", reference, reference, () => hub.delete(reference)),
    },
  };
}
