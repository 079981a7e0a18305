import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { removeManifest, replaceManifest } from "./edit-manifests.ts";
import type { LocatedObject } from "./located-object.ts";
import { readManifests } from "./manifests.ts";

function located(text: string, name: string): LocatedObject {
  const found = readManifests(text, "a.yaml").objects.find(({ object }) => object.metadata.name === name);
  if (!found) throw new Error(`this test has no ${name}`);
  return found;
}

const labelled = (text: string, name: string): KubernetesObject => {
  const { object } = located(text, name);
  return { ...object, metadata: { ...object.metadata, labels: { tier: "gold" } } };
};

const stream = `# head
---   # one
apiVersion: v1
kind: ConfigMap # a kind
metadata: {name: a}
data:
  # about x
  x:   "1"

  list:
  - q
---
# two
apiVersion: v1
kind:   ConfigMap
metadata:
    name: b
# tail
`;

test("When one document is replaced, it should keep the others byte for byte and its own comments", () => {
  const edited = replaceManifest(stream, located(stream, "a"), labelled(stream, "a"));
  const [, second = ""] = stream.split(/(?=---\n# two)/);
  expect(edited).toBe(`# head
---
# one
apiVersion: v1
kind: ConfigMap # a kind
metadata: { name: a, labels: { tier: gold } }
data:
  # about x
  x: "1"

  list:
  - q
${second}`);
});

test("When a document is removed, it should leave the others as they are", () => {
  expect(removeManifest(stream, located(stream, "a"))).toBe(
    `# head\n${stream.slice(stream.indexOf("---\n# two"))}`,
  );
});

const texts = [
  { name: "YAML", text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {x: 'y'}\n" },
  { name: "JSON", text: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}' },
  {
    name: "a List",
    text: "kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: z}} # z\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n",
  },
  {
    name: "a stream of JSON",
    text: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}\n{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}\n',
  },
  {
    name: "YAML with anchors",
    text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: &l {tier: tin}\nspec: *l\n",
  },
  {
    name: "YAML with a merge key",
    text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels:\n    <<: {tier: tin}\n",
  },
];

test.for(texts)(
  "When an object in $name is replaced, it should read as wanted and keep its neighbours",
  ({ text }) => {
    const before = readManifests(text, "a.yaml").objects.map(({ object }) => object);
    const wanted = labelled(text, "a");
    const { objects, issues } = readManifests(replaceManifest(text, located(text, "a"), wanted), "a.yaml");
    expect(issues).toEqual([]);
    expect(objects.map(({ object }) => object)).toEqual(
      before.map((object) => (object.metadata.name === "a" ? wanted : object)),
    );
  },
);

test.for(texts)(
  "When an object in $name is removed, it should keep its neighbours, or give nothing",
  ({ text }) => {
    const others = readManifests(text, "a.yaml").objects.filter(({ object }) => object.metadata.name !== "a");
    const edited = removeManifest(text, located(text, "a"));
    expect(readManifests(edited, "a.yaml").objects.map(({ object }) => object)).toEqual(
      others.map(({ object }) => object),
    );
    if (others.length === 0) expect(edited).toBe("");
  },
);

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const content = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "on", "1", "x y"), tie("value"), { noNullPrototype: true }),
  ),
})).value;

test("When any content replaces any other, it should read as wanted", () => {
  fc.assert(
    fc.property(content, content, (before, after) => {
      const object = (spec: unknown): KubernetesObject => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a" },
        spec,
      });
      const json = JSON.stringify(object(before));
      // The same content as YAML in flow style: what JSON is, with a comment that makes it YAML.
      const text = `# comment\n${json}\n`;
      const edited = replaceManifest(text, located(text, "a"), object(after));
      expect(readManifests(edited, "a.yaml").objects[0]?.object).toEqual(object(after));
    }),
    { numRuns: 200 },
  );
});
