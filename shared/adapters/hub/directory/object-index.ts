import { LRUCache } from "lru-cache";
import type { Issue } from "../../../domain/issues/issue.ts";
import type { Kind, KubernetesObject } from "../../../domain/kubernetes/object.ts";
import {
  keyText,
  type ObjectKey,
  type Parts,
  type ServerFields,
  type StoredObject,
} from "../semantics/stored-object.ts";
import { type IndexDatabase, numberOf, optionalTextOf, type Row, textOf } from "./index-database.ts";

/** A manifest file as last read: its identity by stat, the hash of its text, and its issues. */
export type FileRecord = Readonly<{
  path: string;
  identity: string;
  /** When it was read, in milliseconds since the epoch. */
  readMs: number;
  hash: string;
  issues: readonly Issue[];
  /** The hub wrote the whole text: one object, in the hub's own style. */
  writtenByHub: boolean;
}>;

/** An object as defined by a file; `position` is its place among the file's objects. */
export type Manifest = Readonly<{ parts: Parts; file: string; position: number }>;

/** An object of the hub and the file that defines it. */
export type IndexedObject = StoredObject &
  Readonly<{
    file: string;
    /** The status in the manifest as last seen; a change of it overrides `status`. */
    manifestStatus: unknown;
  }>;

export type ObjectIndex = ReturnType<typeof objectIndex>;

const keyColumns = "api_version = ? AND kind = ? AND namespace = ? AND name = ?";
const values = ({ apiVersion, kind, namespace, name }: ObjectKey) =>
  [apiVersion, kind, namespace, name] as const;

/** The index has written the JSON itself, so its shape is known. */
function parsed<Shape>(text: string): Shape {
  return JSON.parse(text);
}

function jsonOf(row: Row, column: string): unknown {
  const text = optionalTextOf(row, column);
  return text === undefined ? undefined : JSON.parse(text);
}

function keyFrom(row: Row): ObjectKey {
  return {
    apiVersion: textOf(row, "api_version"),
    kind: textOf(row, "kind"),
    namespace: textOf(row, "namespace"),
    name: textOf(row, "name"),
  };
}

function objectFrom(row: Row): IndexedObject {
  return {
    key: keyFrom(row),
    file: textOf(row, "file"),
    server: parsed<ServerFields>(textOf(row, "server")),
    body: parsed<KubernetesObject>(textOf(row, "body")),
    manifestStatus: jsonOf(row, "manifest_status"),
    status: jsonOf(row, "status"),
  };
}

function manifestFrom(row: Row): Manifest {
  return {
    file: textOf(row, "file"),
    position: numberOf(row, "position"),
    parts: {
      key: keyFrom(row),
      body: parsed<KubernetesObject>(textOf(row, "body")),
      status: jsonOf(row, "status"),
      claimed: parsed<Parts["claimed"]>(textOf(row, "claimed")),
    },
  };
}

function fileFrom(row: Row): FileRecord {
  return {
    path: textOf(row, "path"),
    identity: textOf(row, "identity"),
    readMs: numberOf(row, "read_ms"),
    hash: textOf(row, "hash"),
    issues: parsed<readonly Issue[]>(textOf(row, "issues")),
    writtenByHub: numberOf(row, "written_by_hub") === 1,
  };
}

const jsonOrNull = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

/** One write reads its object several times, and the next reconcile reads it again. */
const maxRead = 500;

/**
 * The hub's files and objects as typed queries; writes must run in a transaction. `onRemoved` is called for every
 * object that ceases to exist.
 */
export function objectIndex({ query, dataVersion }: IndexDatabase, onRemoved: (key: ObjectKey) => void) {
  const read = new LRUCache<string, IndexedObject>({ max: maxRead });
  let readVersion: string | undefined;
  const counter = (name: string) =>
    numberOf(query("SELECT value FROM counters WHERE name = ?").first(name) ?? {}, "value");
  const nextRevision = () =>
    numberOf(
      query("UPDATE counters SET value = value + 1 WHERE name = 'revision' RETURNING value").first() ?? {},
      "value",
    );

  const manifestsOf = (key: ObjectKey) =>
    query(`SELECT * FROM manifests WHERE ${keyColumns} ORDER BY file, position`)
      .all(...values(key))
      .map(manifestFrom);

  return {
    /** Return the hub's latest revision, and the revision of the latest removal of an object. */
    revision: () => counter("revision"),
    removal: () => counter("removal"),
    nextRevision,
    now: () => new Date(),

    files: () => query("SELECT * FROM files").all().map(fileFrom),
    saveFile: ({ path, identity, readMs, hash, issues, writtenByHub }: FileRecord) =>
      query("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)").run(
        path,
        identity,
        readMs,
        hash,
        JSON.stringify(issues),
        Number(writtenByHub),
      ),
    removeFile: (path: string) => query("DELETE FROM files WHERE path = ?").run(path),

    manifestsIn: (file: string) =>
      query("SELECT * FROM manifests WHERE file = ? ORDER BY position").all(file).map(manifestFrom),
    /** Returns the keys of the manifests in a file. */
    keysIn: (file: string) =>
      query("SELECT api_version, kind, namespace, name FROM manifests WHERE file = ? ORDER BY position")
        .all(file)
        .map(keyFrom),
    manifestsOf,
    removeManifestsIn: (file: string) => query("DELETE FROM manifests WHERE file = ?").run(file),
    saveManifest: ({ parts: { key, body, status, claimed }, file, position }: Manifest) =>
      query("INSERT INTO manifests VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
        ...values(key),
        file,
        position,
        JSON.stringify(body),
        jsonOrNull(status),
        JSON.stringify(claimed),
      ),
    /** Returns the manifests, in order, of each object that several define. */
    duplicates: () =>
      query(
        "SELECT api_version, kind, namespace, name FROM manifests GROUP BY 1, 2, 3, 4 HAVING count(*) > 1",
      )
        .all()
        .map((row) => manifestsOf(keyFrom(row))),

    object(key: ObjectKey): IndexedObject | undefined {
      const version = dataVersion();
      if (version !== readVersion) read.clear();
      readVersion = version;
      const text = keyText(key);
      const known = read.get(text);
      if (known) return known;
      const row = query(`SELECT * FROM objects WHERE ${keyColumns}`).first(...values(key));
      const found = row && objectFrom(row);
      if (found) read.set(text, found);
      return found;
    },
    /** Returns the file that defines an object. */
    fileOf(key: ObjectKey): string | undefined {
      const row = query(`SELECT file FROM objects WHERE ${keyColumns}`).first(...values(key));
      return row && textOf(row, "file");
    },
    keys: ({ apiVersion, kind }: Kind) =>
      query("SELECT api_version, kind, namespace, name FROM objects WHERE api_version = ? AND kind = ?")
        .all(apiVersion, kind)
        .map(keyFrom),
    objects: ({ apiVersion, kind }: Kind, namespace?: string) =>
      (namespace === undefined
        ? query("SELECT * FROM objects WHERE api_version = ? AND kind = ? ORDER BY namespace, name").all(
            apiVersion,
            kind,
          )
        : query(
            "SELECT * FROM objects WHERE api_version = ? AND kind = ? AND namespace = ? ORDER BY name",
          ).all(apiVersion, kind, namespace)
      ).map(objectFrom),
    hasUid: (uid: string) => query("SELECT 1 FROM objects WHERE uid = ?").first(uid) !== undefined,
    /** Returns objects of a kind that changed after a revision, oldest change first. */
    changedSince: ({ apiVersion, kind }: Kind, revision: number) =>
      query("SELECT * FROM objects WHERE api_version = ? AND kind = ? AND revision > ? ORDER BY revision")
        .all(apiVersion, kind, revision)
        .map(objectFrom),
    saveObject(object: IndexedObject): void {
      const { key, file, server, body, manifestStatus, status } = object;
      query("INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
        ...values(key),
        file,
        server.uid,
        server.revision,
        JSON.stringify(server),
        JSON.stringify(body),
        jsonOrNull(manifestStatus),
        jsonOrNull(status),
      );
      read.set(keyText(key), object);
    },
    removeObject(key: ObjectKey): void {
      read.delete(keyText(key));
      query(`DELETE FROM objects WHERE ${keyColumns}`).run(...values(key));
      query("UPDATE counters SET value = ? WHERE name = 'removal'").run(nextRevision());
      onRemoved(key);
    },
  };
}
