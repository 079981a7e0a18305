import { expect, test } from "vitest";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "../../mirrors/fixtures.ts";
import { mirrorsOf, pulledReferences } from "./management-mirrors.ts";

const rule = (source: string, ...mirrors: readonly string[]) => ({ source, mirrors });
const objects = [
  anImageDigestMirrorSet("d", [rule("quay.io/ns", "d.lan"), rule("quay.io", "wide.lan")]),
  anImageTagMirrorSet("t", [rule("quay.io/ns", "t.lan")]),
];
const image = { repository: "quay.io/ns/app", tag: "1" };

test("When mirrors serve pulls of one kind, nodes should pull from those of the image's", () => {
  expect(pulledReferences(image, objects)).toEqual(["t.lan/app:1", "quay.io/ns/app:1"]);
  expect(mirrorsOf(objects)(image)).toEqual(["d.lan/app:1", "t.lan/app:1"]);
});

test("When a rule is refused, the others should count", () => {
  const invalid = anImageDigestMirrorSet("a", [rule("https://quay.io/ns", "m.lan")]);
  expect(mirrorsOf([...objects, invalid])(image)).toEqual(["d.lan/app:1", "t.lan/app:1"]);
});

test("When a source must never be contacted, nodes should pull from its mirrors only", () => {
  const never = { ...rule("quay.io/ns", "t.lan"), mirrorSourcePolicy: "NeverContactSource" };
  expect(pulledReferences(image, [anImageTagMirrorSet("t", [never])])).toEqual(["t.lan/app:1"]);
});
