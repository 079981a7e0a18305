import { expect, test } from "vitest";
import { configureMirrors, mirrorInputOf } from "../configuration.ts";

const config = "config.openshift.io/v1";
const anObject = (kind: string, name: string, spec: unknown = {}, apiVersion = config) => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
});
const lists = { registrySources: { blockedRegistries: ["*q"], allowRegistries: [] } };
const name = "NameWithoutEffect metadata.name";

test.for([
  ["has the name that is read", anObject("Image", "cluster"), []],
  ["has another name", anObject("Image", "mine"), [name]],
  [
    "has another version",
    anObject("Image", "cluster", lists, "config.openshift.io/v1beta1"),
    ["WrongApiVersion apiVersion"],
  ],
  ["is of another group", anObject("Image", "mine", lists, "image.openshift.io/v1"), []],
  ["is a ClusterVersion of another name", anObject("ClusterVersion", "cluster"), [name]],
  ["is the ClusterVersion", anObject("ClusterVersion", "version"), []],
] as const)("When an object %s, it should report %3$o", ([, object, issues]) => {
  const found = configureMirrors(mirrorInputOf([object])).issues;
  expect(found.map(({ code, path }) => `${code} ${path}`)).toEqual(issues);
});

test("When an Image of another name is read like machine-config-operator does, nothing should be refused", () => {
  const input = mirrorInputOf([anObject("Image", "mine", lists)]);
  expect(configureMirrors(input, { isStored: true })).toMatchObject({
    refused: false,
    issues: [{ code: "NameWithoutEffect", severity: "warning" }],
  });
});
