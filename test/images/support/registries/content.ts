import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "../../../support/setup/temporary-folder.ts";
import type { Lab } from "../network/lab.ts";
import type { ImageFile } from "./image.ts";

/** Formats a list as the workload's ConfigMap has it: one entry a line, each ended by a newline. */
export const lines = (entries: readonly string[]): string => entries.map((entry) => `${entry}\n`).join("");

/** Pushes an image of its own and returns its reference by digest. */
export async function pushed(
  lab: Lab,
  repository: string,
  layers?: readonly (readonly ImageFile[])[],
): Promise<string> {
  const image = await lab.image(layers);
  await lab.push(image, `${repository}:v1`);
  return `${repository}@${image.digest}`;
}

/** Pushes this many images of an application. */
export async function anApplication(lab: Lab, count: number): Promise<readonly string[]> {
  const images: string[] = [];
  for (let number = 0; number < count; number++) images.push(await pushed(lab, `a.io/app/image${number}`));
  return images;
}

/** Returns the layers of a release image whose payload names these images by tag. */
export function releaseLayers(images: Readonly<Record<string, string>>): readonly (readonly ImageFile[])[] {
  const tags = Object.entries(images).map(([name, image]) => ({ name, from: { name: image } }));
  const content = JSON.stringify({ kind: "ImageStream", spec: { tags } });
  return [[{ path: "release-manifests/image-references", content }]];
}

/** An operator in a catalog: every version of its one channel, oldest first, with its related images. */
export type Operator = Readonly<{
  name: string;
  channel: string;
  versions: readonly Readonly<{ bundle: string; images: readonly string[] }>[];
}>;

/** Returns the objects of a file-based catalog, as `opm` reads and prints them. */
function catalogObjects({ name, channel, versions }: Operator): readonly object[] {
  const bundleName = (index: number) => `${name}.v${index + 1}.0.0`;
  const entries = versions.map((_, index) => ({
    name: bundleName(index),
    ...(index > 0 ? { replaces: bundleName(index - 1) } : {}),
  }));
  return [
    { schema: "olm.package", name, defaultChannel: channel },
    { schema: "olm.channel", package: name, name: channel, entries },
    ...versions.map(({ bundle, images }, index) => ({
      schema: "olm.bundle",
      package: name,
      name: bundleName(index),
      image: bundle,
      properties: [{ type: "olm.package", value: { packageName: name, version: `${index + 1}.0.0` } }],
      relatedImages: images.map((image, number) => ({ name: `image${number}`, image })),
    })),
  ];
}

/** Returns the layers of an index image with a file-based catalog, and a program that must not run. */
export function indexLayers(operators: readonly Operator[]): readonly (readonly ImageFile[])[] {
  const opm = { path: "bin/opm", content: "#!/bin/sh\nexit 1\n", isProgram: true };
  const catalogs = operators.map((operator) => ({
    path: `configs/${operator.name}/catalog.json`,
    content: catalogObjects(operator)
      .map((object) => JSON.stringify(object))
      .join("\n"),
  }));
  return [[opm], catalogs];
}

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
