import { join } from "node:path";
import { isSameJson } from "../../../domain/json/values.ts";
import type { KubernetesObject } from "../../../domain/kubernetes/object.ts";
import { removeManifest, replaceManifest } from "../../../domain/manifests/edit-manifests.ts";
import type { LocatedObject } from "../../../domain/manifests/located-object.ts";
import { readManifests, writeManifest } from "../../../domain/manifests/manifests.ts";
import { HubError } from "../../../ports/hub.ts";
import { keyText, type ObjectKey, partsOf } from "../semantics/stored-object.ts";
import type { DirectoryScanner } from "./directory-scanner.ts";
import { ingestText, replaceManifests } from "./ingest.ts";
import { readText, removeFile, writeAtomically } from "./manifest-files.ts";
import type { IndexedObject, ObjectIndex } from "./object-index.ts";
import { freePath, statusPath } from "./object-paths.ts";

const noClaims = { uid: undefined, generation: undefined, creationTimestamp: undefined };

function isSameKey(a: ObjectKey, b: ObjectKey): boolean {
  return keyText(a) === keyText(b);
}

/** Keeps fields of a person's manifest that the write does not own, such as status and uid. */
function inManifest({ object }: LocatedObject, body: KubernetesObject): KubernetesObject {
  const { body: own, status } = partsOf(object);
  const foreign = Object.entries(object.metadata).filter(
    ([field]) =>
      !Object.hasOwn(own.metadata, field) && !Object.hasOwn(body.metadata, field) && field !== "namespace",
  );
  return {
    ...body,
    metadata: { ...body.metadata, ...Object.fromEntries(foreign) },
    ...(status === undefined ? {} : { status }),
  };
}

/** Writes objects into the hub's files and updates the index; all within a transaction. */
export function objectWriter(root: string, index: ObjectIndex, scanner: DirectoryScanner) {
  /** Returns the text of a person's file and the object's position in it; throws an error that says what to fix. */
  function locate(key: ObjectKey, file: string): Readonly<{ text: string; located: LocatedObject }> {
    const { text } = readText(join(root, file));
    const located =
      text === undefined
        ? undefined
        : readManifests(text, file).objects.find(({ object }) => isSameKey(partsOf(object).key, key));
    if (text !== undefined && located) return { text, located };
    throw new HubError(
      "Unavailable",
      `${key.kind}/${key.name} is in a part of ${file} that cannot be read; fix the file first`,
    );
  }

  /** Writes a file with one object, in the hub's own style. */
  function writeWhole(key: ObjectKey, file: string, body: KubernetesObject): void {
    const text = writeManifest(body);
    writeAtomically(join(root, file), text, { synced: false });
    scanner.wrote(file, text, [], true);
    replaceManifests(index, file, [
      { file, position: 0, parts: { key, body, status: undefined, claimed: noClaims } },
    ]);
  }

  function writeEdited(file: string, text: string): void {
    writeAtomically(join(root, file), text, { synced: true });
    scanner.wrote(file, text, ingestText(index, file, text), false);
  }

  function textWithout(key: ObjectKey, file: string): string {
    const { text, located } = locate(key, file);
    return removeManifest(text, located);
  }

  function removeFrom(key: ObjectKey, file: string): void {
    const rest = scanner.unchanged(file)?.writtenByHub ? "" : textWithout(key, file);
    if (rest !== "") {
      writeEdited(file, rest);
      return;
    }
    removeFile(join(root, file));
    scanner.forget(file);
  }

  function present(key: ObjectKey): IndexedObject {
    const object = index.object(key);
    if (object) return object;
    throw new HubError("InternalError", `${key.kind}/${key.name} is not in the index after it was written`);
  }

  return {
    create(key: ObjectKey, body: KubernetesObject): IndexedObject {
      writeWhole(key, freePath(root, key), body);
      return present(key);
    },

    replace({ key, file }: IndexedObject, body: KubernetesObject): IndexedObject {
      // The caller has just checked that the file is unchanged. Another check here could take a file that became
      // doubtful meanwhile for a person's file, which would be edited in several passes from then on.
      if (scanner.isOurs(file)) {
        writeWhole(key, file, body);
        return present(key);
      }
      const { text, located } = locate(key, file);
      const edited = replaceManifest(text, located, inManifest(located, body));
      const written = readManifests(edited, file).objects.map(({ object }) => partsOf(object));
      const own = written.find((parts) => isSameKey(parts.key, key));
      if (!own || !isSameJson(own.body, body))
        throw new HubError("InternalError", `${key.kind}/${key.name} cannot be edited within ${file}`);
      writeEdited(file, edited);
      return present(key);
    },

    saveStatus(stored: IndexedObject): void {
      const { key, status } = stored;
      const { apiVersion, kind, namespace, name } = key;
      const metadata = { name, ...(namespace ? { namespace } : {}) };
      const text = writeManifest({ apiVersion, kind, metadata, status });
      writeAtomically(join(root, statusPath(key)), text, { synced: false });
      index.saveObject(stored);
    },

    save: index.saveObject,

    /** Removes the object from every file that defines it, else the next definition would restore it. */
    remove({ key }: IndexedObject): void {
      for (const file of new Set(index.manifestsOf(key).map((manifest) => manifest.file)))
        removeFrom(key, file);
    },
  };
}
