import { join } from "node:path";
import { nameProblems } from "../../../domain/issues/object-name.ts";
import { isSameJson } from "../../../domain/json/same-json.ts";
import { kindOf } from "../../../domain/kubernetes/kinds.ts";
import type { KubernetesObject, ObjectReference } from "../../../domain/kubernetes/object.ts";
import { timestamp } from "../../../domain/kubernetes/timestamp.ts";
import { writeManifest } from "../../../domain/manifests/manifests.ts";
import { HubError } from "../../../ports/hub.ts";
import { assemble, hasGeneration, type ObjectKey, partsOf } from "../semantics/stored-object.ts";
import { writeAtomically } from "./manifest-files.ts";
import { bodyOf, type ObjectIndex, parseJson, type StoredObject } from "./object-index.ts";
import { statusPath } from "./object-paths.ts";
import type { objectWriter } from "./object-writer.ts";

export function toObject(stored: StoredObject): KubernetesObject {
  return assemble(bodyOf(stored), stored.server, parseJson(stored.status));
}

/** As received by a server: fields that are `undefined` are absent. */
function asJson(object: KubernetesObject): KubernetesObject {
  return JSON.parse(JSON.stringify(object));
}

function found(stored: StoredObject | undefined): StoredObject {
  if (stored) return stored;
  throw new HubError("NotFound", "no such object");
}

function checkUid({ server }: StoredObject, uid: string | undefined): void {
  if (uid && uid !== server.uid)
    throw new HubError("Conflict", `the stored object has uid ${server.uid}, not ${uid}`);
}

function checkVersion({ server }: StoredObject, resourceVersion: string | undefined): void {
  if (resourceVersion && resourceVersion !== String(server.revision))
    throw new HubError("Conflict", "the object has been modified; read it again and retry");
}

function checkNew(key: ObjectKey, object: KubernetesObject): void {
  const { metadata } = object;
  const kind = kindOf(key);
  if (!kind) throw new HubError("NotFound", `the hub has no kind ${key.kind} in ${key.apiVersion}`);
  for (const { field, value, message, remedy } of nameProblems(object))
    throw new HubError("Invalid", `metadata.${field} ${JSON.stringify(value)}: ${message} ${remedy}`);
  if (kind.namespaced && !metadata.namespace)
    throw new HubError("Invalid", "metadata.namespace must be set, the kind is namespaced");
  if (metadata.resourceVersion)
    throw new HubError("Invalid", "metadata.resourceVersion must not be set on an object to be created");
}

function checkedForUpdate(stored: StoredObject | undefined, { metadata }: KubernetesObject): StoredObject {
  const present = found(stored);
  if (!metadata.resourceVersion)
    throw new HubError("Invalid", "metadata.resourceVersion must be specified for an update");
  checkVersion(present, metadata.resourceVersion);
  checkUid(present, metadata.uid);
  return present;
}

/**
 * Applies writes as a Kubernetes API server does, on an index that is up to date; all within a transaction. `stored` is
 * the current object, if any.
 *
 * As on a server: `create` ignores status and the fields that the server sets, and rejects a resourceVersion; updates
 * of an existing object without a resourceVersion are `Invalid` (as for every custom resource), with an outdated one or
 * with another uid a `Conflict`; an update that changes nothing keeps the resourceVersion; an object with finalizers is
 * only marked for deletion, and removed with its last finalizer.
 */
export function objectOperations(root: string, index: ObjectIndex, writer: ReturnType<typeof objectWriter>) {
  const present = (key: ObjectKey) => toObject(found(index.object(key)));

  return {
    create(key: ObjectKey, stored: StoredObject | undefined, object: KubernetesObject): KubernetesObject {
      checkNew(key, object);
      if (stored) throw new HubError("AlreadyExists", "the object already exists");
      writer.create(key, partsOf(asJson(object)).body);
      return present(key);
    },

    update(key: ObjectKey, stored: StoredObject | undefined, object: KubernetesObject): KubernetesObject {
      const checked = checkedForUpdate(stored, object);
      const { body } = partsOf(asJson(object));
      if (isSameJson(body, bodyOf(checked))) return toObject(checked);
      if (checked.server.deletionTimestamp && !body.metadata.finalizers) {
        writer.remove(key);
        return assemble(body, checked.server, parseJson(checked.status));
      }
      writer.update(key, checked.file, body);
      return present(key);
    },

    updateStatus(
      key: ObjectKey,
      stored: StoredObject | undefined,
      object: KubernetesObject,
    ): KubernetesObject {
      const checked = checkedForUpdate(stored, object);
      const { status } = asJson(object);
      if (isSameJson(status, parseJson(checked.status))) return toObject(checked);
      const { apiVersion, kind, namespace, name } = key;
      const metadata = { name, ...(namespace ? { namespace } : {}) };
      writeAtomically(join(root, statusPath(key)), writeManifest({ apiVersion, kind, metadata, status }), {
        synced: false,
      });
      index.saveObject({
        ...checked,
        status: status === undefined ? undefined : JSON.stringify(status),
        server: { ...checked.server, revision: index.nextRevision() },
      });
      return present(key);
    },

    delete(key: ObjectKey, stored: StoredObject | undefined, reference: ObjectReference): void {
      const checked = found(stored);
      checkUid(checked, reference.uid);
      checkVersion(checked, reference.resourceVersion);
      const { server } = checked;
      if (!bodyOf(checked).metadata.finalizers) writer.remove(key);
      else if (!server.deletionTimestamp)
        index.saveObject({
          ...checked,
          server: {
            ...server,
            revision: index.nextRevision(),
            generation: server.generation + (hasGeneration(key) ? 1 : 0),
            deletionTimestamp: timestamp(new Date()),
          },
        });
    },
  };
}
