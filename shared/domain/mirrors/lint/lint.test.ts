import { expect, test } from "vitest";
import { configureMirrors } from "../configuration.ts";
import { anImage, anImageDigestMirrorSet } from "../fixtures.ts";
import { places } from "./fixtures.ts";

const objects = [
  anImageDigestMirrorSet("b", [
    { source: "quay.io/acme", mirrors: ["m.lab/a"] },
    { source: "quay.io/empty", mirrors: [] },
  ]),
  anImageDigestMirrorSet("a", [{ source: "quay.io/acme", mirrors: ["m.lab/a"] }]),
];
const image = anImage({ blockedRegistries: ["quay.io", "m.lab"] });

test("When the objects come in another order, the warnings should be the same", () => {
  const reported = configureMirrors({ objects, image }).issues;
  expect(places(reported)).toEqual([
    "DuplicateRule ImageDigestMirrorSet/b spec.imageDigestMirrors[0]",
    "RuleWithoutMirrors ImageDigestMirrorSet/b spec.imageDigestMirrors[1].mirrors",
    "MirrorBlocked ImageDigestMirrorSet/a spec.imageDigestMirrors[0].mirrors[0]",
    "MirrorBlocked ImageDigestMirrorSet/b spec.imageDigestMirrors[0].mirrors[0]",
    "SourceBlocked ImageDigestMirrorSet/a spec.imageDigestMirrors[0].source",
    "SourceBlocked ImageDigestMirrorSet/b spec.imageDigestMirrors[0].source",
  ]);
  expect(configureMirrors({ objects: objects.toReversed(), image }).issues).toEqual(reported);
});
