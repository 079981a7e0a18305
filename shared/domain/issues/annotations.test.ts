import { expect, test } from "vitest";
import { unknownAnnotations } from "./annotations.ts";

const upgrade = (
  annotations: Readonly<Record<string, string>>,
  apiVersion = "ran.openshift.io/v1alpha1",
) => ({
  apiVersion,
  kind: "ClusterGroupUpgrade",
  metadata: { namespace: "ztp", name: "upgrade", annotations },
});

test.for([
  ["is one letter too long", "max-per-sites", "Write hubrelay.dev/max-per-site, or remove it."],
  ["lacks a word", "enable-precaching", "Write hubrelay.dev/enable-after-precaching, or remove it."],
  ["has letters exchanged", "take-voer", "Write hubrelay.dev/take-over, or remove it."],
  ["resembles none", "x".repeat(60), "Remove it, or correct its name."],
] as const)("When the name of an annotation %s, it should be a warning with the fix", ([, name, remedy]) => {
  const [issue, ...others] = unknownAnnotations(upgrade({ [`hubrelay.dev/${name}`]: "1" }));
  expect(others).toEqual([]);
  expect(issue).toMatchObject({
    code: "UnknownAnnotation",
    severity: "warning",
    path: `metadata.annotations["hubrelay.dev/${name}"]`,
    value: "1",
    remedy,
  });
});

test("When hubrelay or another program sets an annotation, it should be known", () => {
  const annotations = { "hubrelay.dev/outcomes": "[]", "hubrelay.dev/retry": "failed", "example.com/a": "b" };
  expect(unknownAnnotations(upgrade(annotations))).toEqual([]);
});

test("When hubrelay does not read the kind, its annotations should be of no interest", () => {
  expect(unknownAnnotations(upgrade({ "hubrelay.dev/odd": "" }, "example.com/v1"))).toEqual([]);
});
