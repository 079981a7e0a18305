import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "../../../support/setup/temporary-folder.ts";
import type { ImageFile } from "./image.ts";

/** The tables of an index image's database, in the version before the last: opm updates it before it reads it. */
const schema = `
  CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, csv TEXT, bundle TEXT, bundlepath TEXT, version TEXT,
    skiprange TEXT, replaces TEXT, skips TEXT, substitutesfor TEXT);
  CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT);
  CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT);
  CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT,
    operatorbundle_name TEXT, replaces INTEGER, depth INTEGER);
  CREATE TABLE api (group_name TEXT, version TEXT, kind TEXT, plural TEXT);
  CREATE TABLE api_provider (group_name TEXT, version TEXT, kind TEXT, operatorbundle_name TEXT,
    operatorbundle_version TEXT, operatorbundle_path TEXT);
  CREATE TABLE api_requirer (group_name TEXT, version TEXT, kind TEXT, operatorbundle_name TEXT,
    operatorbundle_version TEXT, operatorbundle_path TEXT);
  CREATE TABLE related_image (image TEXT, operatorbundle_name TEXT);
  CREATE TABLE dependencies (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
    operatorbundle_path TEXT);
  CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
    operatorbundle_path TEXT);
  CREATE TABLE deprecated (operatorbundle_name TEXT PRIMARY KEY);
  CREATE TABLE schema_migrations (version bigint NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
  INSERT INTO schema_migrations (version) VALUES (12);`;

/** Returns the layers of an index image with a database: one package with one version in the channel `stable`. */
export async function databaseLayers(
  name: string,
  { bundle, image }: Readonly<{ bundle: string; image: string }>,
): Promise<readonly (readonly ImageFile[])[]> {
  const path = join(await temporaryFolder(), "index.db");
  const database = new DatabaseSync(path);
  database.exec(schema);
  const version = `${name}.v1`;
  const csv = JSON.stringify({ metadata: { name: version }, spec: {} });
  const property = JSON.stringify({ packageName: name, version: "1.0.0" });
  const insert = (sql: string, ...values: readonly string[]) => database.prepare(sql).run(...values);
  insert(
    "INSERT INTO operatorbundle (name, csv, bundlepath, version) VALUES (?, ?, ?, '1.0.0')",
    version,
    csv,
    bundle,
  );
  insert("INSERT INTO package VALUES (?, 'stable')", name);
  insert("INSERT INTO channel VALUES ('stable', ?, ?)", name, version);
  insert("INSERT INTO channel_entry VALUES (1, 'stable', ?, ?, NULL, 0)", name, version);
  insert("INSERT INTO related_image VALUES (?, ?)", image, version);
  insert("INSERT INTO properties VALUES ('olm.package', ?, ?, '1.0.0', ?)", property, version, bundle);
  database.close();
  return [[{ path: "database/index.db", content: await readFile(path) }]];
}
