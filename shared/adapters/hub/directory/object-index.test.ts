import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/setup/temporary-folder.ts";
import { type IndexDatabase, openIndexDatabase } from "./index-database.ts";
import { type IndexedObject, objectIndex } from "./object-index.ts";

const key = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "a" };

function anObject(revision: number): IndexedObject {
  return {
    key,
    file: "a.yaml",
    server: {
      uid: "1",
      revision,
      generation: 1,
      creationTimestamp: "2026-03-01T00:00:00Z",
      deletionTimestamp: undefined,
    },
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } },
    manifestStatus: undefined,
    status: undefined,
  };
}

let folder = "";
let databases: IndexDatabase[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => {
  for (const database of databases) database.close();
  databases = [];
});

/** Opens the index as one process does. */
function opened() {
  const database = openIndexDatabase(join(folder, "index.db"));
  databases.push(database);
  const index = objectIndex(database, () => undefined);
  const save = (revision: number) => database.transaction(() => index.saveObject(anObject(revision)));
  return { database, index, save, revision: () => index.object(key)?.server.revision };
}

test("When a transaction fails after it has saved an object, the index should return the object as it was", () => {
  const { database, index, save, revision } = opened();
  save(1);
  expect(() =>
    database.transaction(() => {
      index.saveObject(anObject(2));
      throw new Error("the disk is full");
    }),
  ).toThrow("the disk is full");
  expect(revision()).toBe(1);
});

test("When another process changes an object that was read, the index should return the change", () => {
  const one = opened();
  const other = opened();
  one.save(1);
  expect([one.revision(), other.revision()]).toEqual([1, 1]);
  other.save(2);
  expect([one.revision(), other.revision()]).toEqual([2, 2]);
});

test("When an object that was read is removed, the index should not return it", () => {
  const { database, index, save, revision } = opened();
  save(1);
  database.transaction(() => index.removeObject(key));
  expect(revision()).toBeUndefined();
});
