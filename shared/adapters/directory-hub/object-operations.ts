import { join } from "node:path";
import { kindOf } from "../../domain/kubernetes/kinds.ts";
import { writeManifest } from "../../domain/kubernetes/manifests.ts";
import { displayName, type KubernetesObject, type ObjectReference } from "../../domain/kubernetes/object.ts";
import { isSameJson } from "../../domain/machine-config/same-json.ts";
import { HubError } from "../../ports/hub.ts";
import { timestamp } from "./ingest.ts";
import { writeAtomically } from "./manifest-files.ts";
import { bodyOf, type ObjectIndex, parseJson, type StoredObject } from "./object-index.ts";
import { statusPath } from "./object-paths.ts";
import type { objectWriter } from "./object-writer.ts";
import { assemble, hasGeneration, type ObjectKey, partsOf } from "./stored-object.ts";

/** The object as the hub answers it. */
export function answerOf(stored: StoredObject): KubernetesObject {
  return assemble(bodyOf(stored), stored.server, parseJson(stored.status));
}

/** What would arrive at a server: fields that are `undefined` are not there. */
function asJson(object: KubernetesObject): KubernetesObject {
  return JSON.parse(JSON.stringify(object));
}

const dnsSubdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

function refuse(key: ObjectKey, why: string): HubError {
  return new HubError("Invalid", `${displayName(key)} is invalid: ${why}`);
}

function found(key: ObjectKey, stored: StoredObject | undefined): StoredObject {
  if (stored) return stored;
  throw new HubError("NotFound", `${displayName(key)} not found`);
}

function conflict(key: ObjectKey, why: string): HubError {
  return new HubError("Conflict", `${displayName(key)}: ${why}`);
}

function checkUid(key: ObjectKey, { server }: StoredObject, uid: string | undefined): void {
  if (uid && uid !== server.uid) throw conflict(key, `the object has uid ${server.uid}, not ${uid}`);
}

function checkVersion(key: ObjectKey, { server }: StoredObject, resourceVersion: string | undefined): void {
  if (resourceVersion && resourceVersion !== String(server.revision))
    throw conflict(key, "the object has been modified; read it again and decide anew");
}

/**
 * What a Kubernetes API server does with a write, on an index that is up to date; all of it within a
 * transaction. `stored` is the present object, if there is one.
 *
 * As on a server: `create` ignores status and the fields that the server sets, and refuses a resourceVersion;
 * updates of an existing object without a resourceVersion are `Invalid` (as for every custom resource), with an
 * outdated one or with another uid a `Conflict`; an update that changes nothing leaves the resourceVersion; an
 * object with finalizers is only marked when it is deleted and goes with its last finalizer.
 */
export function objectOperations(root: string, index: ObjectIndex, writer: ReturnType<typeof objectWriter>) {
  const present = (key: ObjectKey) => answerOf(found(key, index.object(key)));

  function checkedForUpdate(
    key: ObjectKey,
    stored: StoredObject | undefined,
    object: KubernetesObject,
  ): StoredObject {
    const checked = found(key, stored);
    const { resourceVersion, uid } = object.metadata;
    if (!resourceVersion) throw refuse(key, "metadata.resourceVersion must be specified for an update");
    checkVersion(key, checked, resourceVersion);
    checkUid(key, checked, uid);
    return checked;
  }

  return {
    create(key: ObjectKey, stored: StoredObject | undefined, object: KubernetesObject): KubernetesObject {
      if (!kindOf(key))
        throw new HubError("NotFound", `${key.apiVersion} ${key.kind}: the hub has no such kind`);
      if (key.name.length > 253 || !dnsSubdomain.test(key.name))
        throw refuse(
          key,
          "metadata.name must consist of lower case letters, digits, '-' and '.', at most 253",
        );
      if (object.metadata.resourceVersion)
        throw refuse(key, "metadata.resourceVersion must not be set on an object to be created");
      if (kindOf(key)?.namespaced && !object.metadata.namespace)
        throw refuse(key, "metadata.namespace must be set");
      if (stored) throw new HubError("AlreadyExists", `${displayName(key)} already exists`);
      writer.create(key, partsOf(asJson(object)).body);
      return present(key);
    },

    update(key: ObjectKey, stored: StoredObject | undefined, object: KubernetesObject): KubernetesObject {
      const checked = checkedForUpdate(key, stored, object);
      const { body } = partsOf(asJson(object));
      if (isSameJson(body, bodyOf(checked))) return answerOf(checked);
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
      const checked = checkedForUpdate(key, stored, object);
      const { status } = asJson(object);
      if (isSameJson(status, parseJson(checked.status))) return answerOf(checked);
      const { apiVersion, kind, namespace, name } = key;
      const metadata = { name, ...(namespace ? { namespace } : {}) };
      writeAtomically(join(root, statusPath(key)), writeManifest({ apiVersion, kind, metadata, status }));
      index.saveObject({
        ...checked,
        status: status === undefined ? undefined : JSON.stringify(status),
        server: { ...checked.server, revision: index.nextRevision() },
      });
      return present(key);
    },

    delete(key: ObjectKey, stored: StoredObject | undefined, reference: ObjectReference): void {
      const checked = found(key, stored);
      checkUid(key, checked, reference.uid);
      checkVersion(key, checked, reference.resourceVersion);
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

export type Operations = ReturnType<typeof objectOperations>;
