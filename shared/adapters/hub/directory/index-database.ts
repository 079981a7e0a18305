import { closeSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite";
import { ownValue } from "../../../domain/json/values.ts";
import { HubError } from "../../../ports/hub.ts";

/** Raised when the tables change; an index of another version is rebuilt from the files. */
const schemaVersion = 1;
/** How long a writer waits for another process that is writing. */
const busyTimeoutMs = 10_000;

const schema = `
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE files (
    path TEXT PRIMARY KEY, identity TEXT NOT NULL, read_ms INTEGER NOT NULL,
    hash TEXT NOT NULL, issues TEXT NOT NULL, written_by_hub INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE manifests (
    api_version TEXT, kind TEXT, namespace TEXT, name TEXT, file TEXT, position INTEGER,
    body TEXT NOT NULL, status TEXT, claimed TEXT NOT NULL,
    PRIMARY KEY (api_version, kind, namespace, name, file, position)
  );
  CREATE INDEX manifests_by_file ON manifests (file, position);
  CREATE TABLE objects (
    api_version TEXT, kind TEXT, namespace TEXT, name TEXT,
    file TEXT NOT NULL, uid TEXT NOT NULL, revision INTEGER NOT NULL, server TEXT NOT NULL,
    body TEXT NOT NULL, manifest_status TEXT, status TEXT,
    PRIMARY KEY (api_version, kind, namespace, name)
  );
  CREATE INDEX objects_by_revision ON objects (revision);
  CREATE INDEX objects_by_uid ON objects (uid);
  INSERT INTO counters VALUES ('revision', 0), ('removal', 0);
`;

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** A query with its statement prepared once. */
export type Query = Readonly<{
  run(...values: SQLInputValue[]): void;
  first(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): readonly Row[];
}>;

export type IndexDatabase = Readonly<{
  query(sql: string): Query;
  /** Runs the work with the lock on the hub that all processes share; the OS releases it when a process is killed. */
  transaction<Result>(work: () => Result): Result;
  /** Returns a text that changes when another connection has committed something, or this one has rolled back. */
  dataVersion(): string;
  close(): void;
}>;

/** Throws a `HubError` where the column has no text: the index is damaged. */
export function textOf(row: Row, column: string): string {
  const value = ownValue(row, column);
  if (typeof value !== "string")
    throw new HubError("InternalError", `the hub's index has no text in ${column}`);
  return value;
}

export function optionalTextOf(row: Row, column: string): string | undefined {
  return ownValue(row, column) === null ? undefined : textOf(row, column);
}

export function numberOf(row: Row, column: string): number {
  const value = ownValue(row, column);
  if (typeof value !== "number")
    throw new HubError("InternalError", `the hub's index has no number in ${column}`);
  return value;
}

function createSchema(database: DatabaseSync): void {
  const version = () => numberOf(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
  if (version() === schemaVersion) return;
  database.exec("BEGIN IMMEDIATE");
  if (version() !== schemaVersion) {
    for (const table of ["counters", "files", "manifests", "objects"])
      database.exec(`DROP TABLE IF EXISTS ${table}`);
    database.exec(schema);
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
  }
  database.exec("COMMIT");
}

const cannotOpen = 14;

/** SQLite does not say why it cannot open a file; the file system does. */
function openDatabase(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: busyTimeoutMs });
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === cannotOpen)
      closeSync(openSync(path, "a"));
    throw error;
  }
}

/**
 * Opens the SQLite file behind a directory hub. It uses a write-ahead log (WAL) and is synced only at checkpoints:
 * after a power cut it may be older than the files, which the next scan repairs.
 */
export function openIndexDatabase(path: string): IndexDatabase {
  const database = openDatabase(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  createSchema(database);
  const prepared = new Map<string, Query>();
  let rollbacks = 0;

  function query(sql: string): Query {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    const made: Query = {
      run: (...values) => void statement.run(...values),
      first: (...values) => statement.get(...values),
      all: (...values) => statement.all(...values),
    };
    prepared.set(sql, made);
    return made;
  }

  return {
    query,
    transaction(work) {
      if (database.isTransaction) return work();
      database.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        rollbacks++;
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    dataVersion: () => `${numberOf(query("PRAGMA data_version").first() ?? {}, "data_version")}.${rollbacks}`,
    close: () => database.close(),
  };
}
