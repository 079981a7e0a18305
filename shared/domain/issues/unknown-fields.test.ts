import { expect, test } from "vitest";
import type { Issue } from "./issue.ts";
import { refusingUnknown, unknownFields } from "./unknown-fields.ts";

const known = {
  spec: ["lists", "name", "sources"],
  "spec.lists[]": ["allowedRegistries", "insecure"],
  "spec.sources": ["insecureRegistries", "blockedRegistries"],
};
const object = (fields: Readonly<Record<string, unknown>>) => ({
  apiVersion: "v1",
  kind: "Example",
  metadata: { name: "x" },
  ...fields,
});
const remediesOf = (fields: Readonly<Record<string, unknown>>) =>
  unknownFields(object(fields), known).map(({ path, remedy }) => `${path}: ${remedy}`);

test.for([
  ["a misspelt field", { spec: { list: [] } }, "spec.list: Did you mean lists?"],
  ["a field in the wrong place", { spec: { insecure: [] } }, "spec.insecure: Write it below spec.lists[]."],
  ["a field beside spec", { lists: [] }, "lists: Write it below spec."],
  ["spec with a capital letter", { Spec: {} }, "Spec: Did you mean spec?"],
  ["misspelt metadata", { metadata: { name: "x", label: {} } }, "metadata.label: Did you mean labels?"],
  ["metadata in spec", { spec: { labels: {} } }, "spec.labels: Write it below metadata."],
  [
    "the first word of a field that another level has in full",
    { spec: { sources: { insecure: [] } } },
    "spec.sources.insecure: Did you mean insecureRegistries? If not, write it below spec.lists[].",
  ],
  [
    "a field that resembles one here and is one of another level",
    { uid: "x" },
    "uid: Did you mean kind? If not, write it below metadata.",
  ],
  [
    "an odd field",
    { spec: { speed: 1 } },
    "spec.speed: Remove it, or correct its name; the fields here are lists, name, sources.",
  ],
] as const)("When an object has %s, the fix should be: %o", ([, fields, remedy]) => {
  expect(remediesOf(fields)).toEqual([remedy]);
});

test("When an object has only fields of its kind, it should report nothing", () => {
  expect(remediesOf({ spec: { name: 1, lists: [{ insecure: true }, 1] }, status: {} })).toEqual([]);
});

const issueOf = (code: Issue["code"], kind: string, path: string): Issue => ({
  code,
  severity: "warning",
  object: { kind, name: "x" },
  path,
  value: undefined,
  message: "m",
  remedy: "r",
});

test.for([
  ["UnknownField", "Image", "spec.registrySource", "error"],
  ["NameWithoutEffect", "Image", "metadata.name", "error"],
  ["UnknownField", "Image", "spec.imageStreamImportMode", "warning"],
  [
    "UnknownField",
    "ImageSourceDigestPolicy",
    "spec.imageSourceDigestMirrors[0].mirrorSourcePolicy",
    "warning",
  ],
  [
    "UnknownField",
    "ImageContentSourcePolicy",
    "spec.repositoryDigestMirrors[0].mirrorSourcePolicy",
    "warning",
  ],
  ["DeprecatedKind", "ImageContentSourcePolicy", "kind", "warning"],
] as const)("When manifests are judged, %s of %s at %s should be a %s", ([code, kind, path, severity]) => {
  expect(refusingUnknown([issueOf(code, kind, path)])).toMatchObject([{ code, severity }]);
});
