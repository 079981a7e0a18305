import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readManifests, writeYaml } from "./manifests.ts";
import { splitYamlList } from "./yaml-stream.ts";

const padding = `# ${"x".repeat(1024 * 1024)}\n`;
const object = fc.record({
  apiVersion: fc.constant("v1"),
  kind: fc.constant("ConfigMap"),
  metadata: fc.record({ name: fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/), namespace: fc.constant("default") }),
  data: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.string(), { maxKeys: 4 }),
});

describe("a large list", () => {
  test("When it is read item by item, it should give what the whole document gives", () => {
    fc.assert(
      fc.property(fc.array(object, { minLength: 1, maxLength: 5 }), (items) => {
        const text = writeYaml({ apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } });
        expect(splitYamlList(text)?.items).toHaveLength(items.length);
        const whole = readManifests(text, "a.yaml");
        const large = readManifests(text + padding, "a.yaml");
        expect(large).toEqual(whole);
        expect(whole.objects).toHaveLength(items.length);
      }),
      { numRuns: 20 },
    );
  });

  test.for([
    { what: "an item is invalid", text: "kind: List\nitems:\n- kind: A\n  metadata: {name: a}\n- a: b: c\n" },
    {
      what: "items share an anchor",
      text: "kind: List\nitems:\n- &a {apiVersion: v1, kind: A, metadata: {name: a}}\n- *a\n",
    },
    {
      what: "it is typed",
      text: "apiVersion: v1\nkind: SecretList\nitems:\n  - metadata: {name: a}\n  # b\n  - metadata: {name: b}\n",
    },
    { what: "it is not a list", text: "apiVersion: v1\nkind: A\nmetadata: {name: a}\nitems:\n- 1\n" },
    {
      what: "a text has lines like items",
      text: "kind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata: {name: a}\n  data: |\n    - b\n    items:\n    - c\n",
    },
  ])("When $what, it should give what the whole document gives", ({ text }) => {
    expect(readManifests(text + padding, "a.yaml")).toEqual(readManifests(text, "a.yaml"));
  });
});
