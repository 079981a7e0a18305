import { describe, expect, test } from "vitest";
import { tryParseImageReference } from "../../images/image-reference.ts";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "../../mirrors/fixtures.ts";
import { findCandidates } from "./candidates.ts";
import { readManagementMirrors } from "./management-mirrors.ts";

const digest = `sha256:${"d".repeat(64)}`;
const never = { mirrorSourcePolicy: "NeverContactSource" };

type Rule = Readonly<{ source: string; mirrors: readonly string[]; mirrorSourcePolicy?: string }>;

/** The references in order, the taken one with a star, forbidden ones with their reason. */
function candidates(image: string, digestRules: readonly Rule[], tagRules: readonly Rule[] = []) {
  const reference = tryParseImageReference(image);
  if (!reference) throw new Error(image);
  const { sources } = readManagementMirrors([
    anImageDigestMirrorSet("d", digestRules),
    anImageTagMirrorSet("t", tagRules),
  ]);
  return findCandidates(reference, sources);
}

const shown = (...given: Parameters<typeof candidates>) =>
  candidates(...given).map(({ reference, taken }) => `${taken ? "*" : ""}${reference}`);
const taken = (...given: Parameters<typeof candidates>) =>
  candidates(...given).find((candidate) => candidate.taken)?.reference;

describe("findCandidates", () => {
  test("When sources are nested, it should try the nearest first and keep the order of mirrors", () => {
    const rules = [
      { source: "quay.io", mirrors: ["wide.lan"] },
      { source: "quay.io/ns", mirrors: ["z.lan/ns", "a.lan/ns"] },
      { source: "*.io", mirrors: ["any.lan"] },
      { source: "quay.io/ns/app", mirrors: ["app.lan:5000/x"] },
    ];
    expect(shown(`quay.io/ns/app@${digest}`, rules)).toEqual([
      `*app.lan:5000/x@${digest}`,
      `z.lan/ns/app@${digest}`,
      `a.lan/ns/app@${digest}`,
      `wide.lan/ns/app@${digest}`,
      `any.lan/ns/app@${digest}`,
      `quay.io/ns/app@${digest}`,
    ]);
  });

  test.for([
    { image: `quay.io/ocp-dev/rel@${digest}`, source: "quay.io/ocp" },
    { image: `other.io/ocp/rel@${digest}`, source: "quay.io/ocp" },
    { image: `quay.io:5000/ocp/rel@${digest}`, source: "quay.io" },
    { image: `quay.io/ocp/rel@${digest}`, source: "quay.io:5000" },
    { image: `a.io/io/x@${digest}`, source: "io" },
    { image: `quay.io/ocp@${digest}`, source: "quay.io/ocp/rel" },
    { image: `io.lan/ocp@${digest}`, source: "*.io.lan" },
    { image: `x.io:5000/ocp@${digest}`, source: "*.io" },
  ])("When $source is mirrored, it should not affect $image", ({ image, source }) => {
    expect(shown(image, [{ source, mirrors: ["m.lan/x"] }])).toEqual([`*${image}`]);
  });

  test.for([
    {
      image: "quay.io:5000/ocp/rel",
      source: "quay.io:5000",
      mirror: "m.lan:6000",
      expected: "m.lan:6000/ocp/rel",
    },
    { image: "quay.io/app", source: "quay.io", mirror: "m.lan", expected: "m.lan/app" },
    { image: "quay.io/ocp/rel", source: "quay.io/ocp", mirror: "m.lan/x/y", expected: "m.lan/x/y/rel" },
    { image: "quay.io/ocp/rel", source: "quay.io/ocp", mirror: "m.lan", expected: "m.lan/rel" },
    { image: "quay.io/ocp/rel/sub", source: "quay.io/ocp/rel", mirror: "m.lan/x", expected: "m.lan/x/sub" },
    { image: "a.b.quay.io/ocp/rel", source: "*.quay.io", mirror: "m.lan/x", expected: "m.lan/x/ocp/rel" },
  ])("When $source=$mirror, it should take $expected for $image", ({ image, source, mirror, expected }) => {
    expect(taken(`${image}@${digest}`, [{ source, mirrors: [mirror] }])).toBe(`${expected}@${digest}`);
  });

  test("When the image has a tag, it should take only tag mirrors, and report why not the others", () => {
    const found = candidates(
      "quay.io/ns/app:1",
      [{ source: "quay.io/ns", mirrors: ["d.lan"] }],
      [{ source: "quay.io", mirrors: ["t.lan"] }],
    );
    expect(found).toEqual([
      {
        reference: "d.lan/app:1",
        source: "quay.io/ns",
        mirror: "d.lan",
        taken: false,
        reason: "this mirror serves images by digest only, and this one has a tag",
      },
      { reference: "t.lan/ns/app:1", source: "quay.io", mirror: "t.lan", taken: true, reason: null },
      {
        reference: "quay.io/ns/app:1",
        source: "quay.io/ns",
        mirror: null,
        taken: false,
        reason: "it is tried only if the candidates before it do not have the image",
      },
    ]);
  });

  test("When the image has a digest, it should skip tag mirrors", () => {
    const [mirror] = candidates(`a.io/x@${digest}`, [], [{ source: "a.io", mirrors: ["t.lan"] }]);
    expect(mirror).toMatchObject({
      taken: false,
      reason: "this mirror serves images by tag only, and this one has a digest",
    });
  });

  test("When the source must never be contacted, it should not be taken, even if nothing else is", () => {
    const reason = "the source quay.io must never be contacted (mirrorSourcePolicy)";
    const found = candidates("quay.io/ns/app:1", [{ source: "quay.io", mirrors: ["d.lan"], ...never }]);
    expect(found.map((candidate) => candidate.taken)).toEqual([false, false]);
    expect(found[1]).toMatchObject({ reference: "quay.io/ns/app:1", source: "quay.io", reason });
  });

  test("When a nearer source may be contacted, the policy of a wider one should not count", () => {
    const rules = [
      { source: "quay.io", mirrors: ["m.lan"], ...never },
      { source: "quay.io/ns", mirrors: ["quay.io/other"] },
    ];
    expect(shown(`quay.io/ns/app@${digest}`, rules)).toEqual([
      `quay.io/other/app@${digest}`,
      `*m.lan/ns/app@${digest}`,
      `quay.io/ns/app@${digest}`,
    ]);
  });

  test("When a mirror and the image form no valid reference, it should be skipped", () => {
    const rules = [{ source: "quay.io/app", mirrors: ["m.lan", "n.lan/app"] }];
    expect(candidates(`quay.io/app@${digest}`, rules)).toMatchObject([
      { reference: null, mirror: "m.lan", taken: false, reason: `m.lan@${digest} is not an image reference` },
      { reference: `n.lan/app@${digest}`, taken: true },
      { reference: `quay.io/app@${digest}`, taken: false },
    ]);
  });
});
