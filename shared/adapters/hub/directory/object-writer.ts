import { join } from "node:path";
import { isSameJson } from "../../../domain/json/same-json.ts";
import type { KubernetesObject } from "../../../domain/kubernetes/object.ts";
import { removeManifest, replaceManifest } from "../../../domain/manifests/edit-manifests.ts";
import { type LocatedObject, readManifests, writeManifest } from "../../../domain/manifests/manifests.ts";
import { HubError } from "../../../ports/hub.ts";
import { type ObjectKey, partsOf } from "../semantics/stored-object.ts";
import type { DirectoryScanner } from "./directory-scanner.ts";
import { ingestText, replaceManifests } from "./ingest.ts";
import { readText, removeFile, writeAtomically } from "./manifest-files.ts";
import type { ObjectIndex } from "./object-index.ts";
import { freePath } from "./object-paths.ts";

const noClaims = { uid: undefined, generation: undefined, creationTimestamp: undefined };

function isSameKey(a: ObjectKey, b: ObjectKey): boolean {
  return (
    a.kind === b.kind && a.name === b.name && a.namespace === b.namespace && a.apiVersion === b.apiVersion
  );
}

/** What a person's manifest says of fields that are none of its business stays as it is: status, uid and such. */
function inManifest({ object }: LocatedObject, body: KubernetesObject): KubernetesObject {
  const { body: own, status } = partsOf(object);
  const foreign = Object.entries(object.metadata).filter(
    ([field]) => !(field in own.metadata) && !(field in body.metadata) && field !== "namespace",
  );
  return {
    ...body,
    metadata: { ...body.metadata, ...Object.fromEntries(foreign) },
    ...(status === undefined ? {} : { status }),
  };
}

/** Writes objects into the hub's files and keeps the index in step; all of it within a transaction. */
export function objectWriter(root: string, index: ObjectIndex, scanner: DirectoryScanner) {
  /** An object in a file that people write: its text and its place, or an error that says what to repair. */
  function locate(key: ObjectKey, file: string): Readonly<{ text: string; located: LocatedObject }> {
    const { text } = readText(join(root, file));
    const located =
      text === undefined
        ? undefined
        : readManifests(text, file).objects.find(({ object }) => isSameKey(partsOf(object).key, key));
    if (text !== undefined && located) return { text, located };
    throw new HubError(
      "Unavailable",
      `${key.kind}/${key.name} stands in a part of ${file} that cannot be read; repair the file first`,
    );
  }

  /** A file with one object, in the hub's own style. */
  function writeWhole(key: ObjectKey, file: string, body: KubernetesObject): void {
    const text = writeManifest(body);
    writeAtomically(join(root, file), text, { synced: false });
    scanner.wrote(file, text, [], true);
    replaceManifests(index, file, [
      { file, position: 0, parts: { key, body, status: undefined, claimed: noClaims } },
    ]);
  }

  /** A person's file, edited. */
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

  return {
    create(key: ObjectKey, body: KubernetesObject): void {
      writeWhole(key, freePath(root, key), body);
    },

    update(key: ObjectKey, file: string, body: KubernetesObject): void {
      // Whoever asks for an update has just seen that the file is the one that was read. Asked again here, a file
      // that came into doubt meanwhile would be taken for a person's, and edited in several passes ever after.
      if (scanner.isOurs(file)) {
        writeWhole(key, file, body);
        return;
      }
      const { text, located } = locate(key, file);
      const edited = replaceManifest(text, located, inManifest(located, body));
      const written = readManifests(edited, file).objects.map(({ object }) => partsOf(object));
      const own = written.find((parts) => isSameKey(parts.key, key));
      if (!own || !isSameJson(own.body, body))
        throw new HubError("InternalError", `${key.kind}/${key.name} cannot be edited within ${file}`);
      writeEdited(file, edited);
    },

    /** Takes the object out of every file that defines it, else the next one would bring it back. */
    remove(key: ObjectKey): void {
      for (const file of new Set(index.manifestsOf(key).map((manifest) => manifest.file)))
        removeFrom(key, file);
    },
  };
}
