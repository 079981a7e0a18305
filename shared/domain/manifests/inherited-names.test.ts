import { describe, expect, test, vi } from "vitest";
import { inheritedNames } from "../../../test/support/outside-names/inherited-names.ts";
import { readManifests, writeManifest } from "./manifests.ts";

describe("names that every object inherits", () => {
  test.for(
    inheritedNames.flatMap((name) => ["1", "text", "{}", "[a]", "null"].map((value) => ({ name, value }))),
  )(
    "When metadata of an invalid object has $name: $value, it should report the object, and read the next",
    ({ name, value }) => {
      const document = (kind: string, metadata: string) =>
        `apiVersion: v1\nkind: ${kind}\nmetadata:\n  ${metadata}\n`;
      const read = readManifests(
        `${document("Bad", `${JSON.stringify(name)}: ${value}`)}---\n${document("Good", "name: good")}`,
        "a.yaml",
        { isInFolder: true },
      );
      expect(read.issues.map(({ code }) => code)).not.toContain("UnreadableObject");
      expect(read.objects.map(({ object }) => object.kind)).toEqual(["Good"]);
    },
  );

  test("When they are keys of labels, annotations and data, they should be kept as they are", () => {
    const named = JSON.stringify(Object.fromEntries(inheritedNames.map((name) => [name, name])));
    const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":${named},"annotations":${named}},"data":${named}}`;
    const [found] = readManifests(text, "a.json").objects;
    expect(found && JSON.stringify(found.object)).toBe(text);
    expect(
      found && JSON.stringify(readManifests(writeManifest(found.object), "a.yaml").objects[0]?.object),
    ).toBe(text);
  });
});

test("When hubrelay itself fails on an object, the error should be the object's, and the others should be read", () => {
  const hasOwn = Object.hasOwn;
  const spy = vi.spyOn(Object, "hasOwn").mockImplementation((object, name) => {
    if (hasOwn(object, "fails")) throw new TypeError("boom");
    return hasOwn(object, name);
  });
  try {
    const one = (metadata: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":${metadata}}`;
    const list = `{"kind":"List","items":[${one('{"name":"a","fails":1}')},${one('{"name":"b"}')}]}`;
    const { objects, issues } = readManifests(`${list}\n${one('{"name":"c"}')}`, "a.json");
    expect(objects.map(({ object }) => object.metadata.name)).toEqual(["b", "c"]);
    expect(issues).toMatchObject([
      {
        code: "UnreadableObject",
        severity: "error",
        path: "items[0]",
        file: "a.json",
        line: 1,
        message: expect.stringContaining("boom"),
      },
    ]);
  } finally {
    spy.mockRestore();
  }
});
