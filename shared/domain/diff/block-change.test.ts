import { expect, test } from "vitest";
import { textFile } from "../openshift/machine-config/node-file.ts";
import { blockChanges } from "./policy-change.ts";

const files = (...entries: readonly string[]) => [
  textFile("/etc/containers/registries.conf", entries.map((entry) => `[[registry]]\n${entry}\n`).join("")),
];
const mirror = '[[registry.mirror]]\nlocation = "m.lan/a"';
const closed = 'location = "quay.io"\nblocked = true';

test.for([
  {
    name: "NeverContactSource becomes AllowContactingSource",
    before: files(`${closed}\n${mirror}`),
    after: files(`location = "quay.io"\n${mirror}`),
    found: ["weaker quay.io: the source may be contacted; before only the mirrors may be"],
  },
  {
    name: "a block is removed",
    before: files(closed),
    after: files(),
    found: ["weaker quay.io: images may be pulled; before none may be pulled"],
  },
  {
    name: "a scope is blocked",
    before: files(),
    after: files(closed),
    found: ["stricter quay.io: none may be pulled; before images may be pulled"],
  },
  {
    name: "a scope within a blocked one loses its own block",
    before: files(closed, 'location = "quay.io/a"\nblocked = true'),
    after: files(closed),
    found: [],
  },
  { name: "a side cannot be read", before: files(closed), after: files("x"), found: [] },
])("When $name, it should say what nodes may pull: $found", ({ before, after, found }) => {
  expect(blockChanges(before, after).map(({ effect, text }) => `${effect} ${text}`)).toEqual(found);
});
