import { describe, expect, test } from "vitest";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "../../mirrors/fixtures.ts";
import { explainHostedImage, metadataReferences, releaseReferences } from "./explain.ts";

const overrides = (object: Readonly<Record<string, readonly string[]>>) => new Map(Object.entries(object));
const release = (minor: number, major = 4) => ({ major, minor });
const objects = [
  anImageDigestMirrorSet("d", [
    { source: "quay.io/ocp", mirrors: ["m.lan/x"] },
    { source: "quay.io/ns/app", mirrors: ["m.lan/ns/app", "n.lan/ns/app"] },
  ]),
  anImageTagMirrorSet("t", [{ source: "quay.io/ocp", mirrors: ["t.lan/x"] }]),
];

type Options = Parameters<typeof explainHostedImage>[2];

function explained(image: string, options?: Options) {
  const explanation = explainHostedImage(image, objects, options);
  if ("problem" in explanation) throw new Error(explanation.problem);
  return explanation;
}
const takenOf = (image: string, options?: Options) =>
  explained(image, options).candidates.find(({ taken }) => taken)?.reference;
const gone = (...references: readonly string[]) => new Map(references.map((one) => [one, "gone"]));

describe("references of release images", () => {
  test.for([
    ["quay.io/ocp/rel:4", { "quay.io/ocp": ["m1.io/x", "m2.io/x"] }, ["m1.io/x/rel:4", "m2.io/x/rel:4"]],
    ["quay.io/ocp-dev/rel:4", { "quay.io/ocp": ["m1.io/x"] }, ["m1.io/x-dev/rel:4"]],
    ["quay.io/ocp/rel:4", { io: ["X"] }, ["quay.X/ocp/rel:4"]],
    ["a.io/a.io", { "a.io": ["$&"] }, ["$&/a.io"]],
    ["quay.io/ocp/rel:4", { "a.io": ["b.io"] }, []],
  ] as const)(
    "When %s is looked up with %j, it should ask %j and then as written",
    ([image, given, asked]) => {
      expect(releaseReferences(image, overrides(given))).toEqual([...asked, image]);
    },
  );

  test("When the release is before 4.17, it should replace in the result before, and not go back", () => {
    const given = overrides({ "quay.io/ocp": ["m.io/x", "n.io/x"] });
    expect(releaseReferences("quay.io/ocp/rel:4", given, release(16))).toEqual(["m.io/x/rel:4"]);
  });
});

describe("references of other images", () => {
  const digest = `sha256:${"d".repeat(64)}`;
  const given = overrides({ "quay.io/ns/app": ["m.lan/ns/app", "n.lan/ns/app"] });

  test("When a control plane before 4.17 looks a tag up, the first mirror that matches should end the search without it", () => {
    const lost = "failed to obtain root manifest: no tag or digest specified";
    const image = "quay.io/ns/app:1";
    expect(metadataReferences(image, given, release(16))).toEqual({ problem: lost });
    const { candidates } = explained(image, { release: release(16) });
    const later = "HyperShift before 4.17 tries no other place after a mirror";
    expect(candidates.map(({ taken, reason }) => [taken, reason])).toEqual([
      [false, lost],
      [false, later],
      [false, later],
    ]);
    expect(metadataReferences(image, given, release(17))).toEqual({
      references: ["m.lan/ns/app:1", "n.lan/ns/app:1", image],
    });
  });

  test("When it looks a digest up, only the first mirror should be asked", () => {
    const image = `quay.io/ns/app@${digest}`;
    expect(metadataReferences(image, given, release(16))).toEqual({ references: [`m.lan/ns/app@${digest}`] });
  });

  test.for([
    ["quay.io/a\u0001", 'failed to parse image reference "quay.io/a\\x01": invalid reference format'],
    ["quay.io/NS", 'failed to parse image reference "quay.io/NS": repository name must be lowercase'],
  ] as const)("When HyperShift cannot parse %j, it should return the problem", ([image, problem]) => {
    expect(metadataReferences(image, given)).toEqual({ problem });
    expect(explainHostedImage(image, [])).toEqual({ problem });
  });
});

describe("explainHostedImage", () => {
  test("When several sources match, it should report mirrors, errors and the random order", () => {
    const set = anImageDigestMirrorSet("d", [
      { source: "*.io", mirrors: ["w.io"] },
      { source: "quay.io", mirrors: ["m.io", "", "n.io"] },
      { source: "quay.io/ocp", mirrors: ["m.io/x"] },
      { source: "quay.io/other", mirrors: ["m.io/y"] },
    ]);
    const later = "HyperShift tries it only if the candidates before it cannot be read";
    const random = "HyperShift tries sources in random order: this one may come before quay.io";
    const unparsable = 'failed to parse source image reference "*.io": invalid reference format';
    const row = (
      reference: string | null,
      source: string | null,
      mirror: string | null,
      reason: string | null,
    ) => ({ reference, source, mirror, taken: reason === null, reason });
    expect(explainHostedImage("quay.io/ocp/rel:4", [set])).toMatchObject({
      candidates: [
        row(null, "*.io", "w.io", unparsable),
        row("m.io/ocp/rel:4", "quay.io", "m.io", null),
        row("n.io/ocp/rel:4", "quay.io", "n.io", later),
        row("m.io/x/rel:4", "quay.io/ocp", "m.io/x", random),
        row("quay.io/ocp/rel:4", null, null, later),
      ],
    });
  });

  test.for([
    ["quay.io/ocp/rel:4", {}, "m.lan/x/rel:4"],
    ["docker.io/nginx:1", {}, "docker.io/library/nginx:1"],
    ["other.lan/ocp/rel:4", {}, "m.lan/x/rel:4"],
    ["quay.io/ocp-dev/rel:4", {}, "quay.io/ocp-dev/rel:4"],
    ["quay.io/ocp-dev/rel:4", { isRelease: true }, "m.lan/x-dev/rel:4"],
    ["quay.io/ocp/rel:4", { unavailable: gone("m.lan/x/rel:4") }, "quay.io/ocp/rel:4"],
    ["quay.io/ocp/rel:4", { unavailable: gone("m.lan/x/rel:4", "quay.io/ocp/rel:4") }, undefined],
    ["quay.io/ocp/rel:4", { release: release(15) }, "quay.io/ocp/rel:4"],
    ["quay.io/ocp/rel:4", { release: release(15), isRelease: true }, "m.lan/x/rel:4"],
    [
      "quay.io/ocp/rel:4",
      { release: release(15), isRelease: true, unavailable: gone("m.lan/x/rel:4") },
      undefined,
    ],
  ] as const)("When %s is explained with %j, it should take %s", ([image, options, expected]) => {
    expect(takenOf(image, options)).toBe(expected);
  });

  test("When the control plane is older than the operator, it should say what the operator takes", () => {
    const operatorOf = (options: Options) => explained("quay.io/ocp/rel:4", options).operatorReference;
    expect(operatorOf({ release: release(15) })).toBe("m.lan/x/rel:4");
    expect(operatorOf({ release: release(15), isRelease: true })).toBeUndefined();
    expect([operatorOf({ release: release(17) }), operatorOf({})]).toEqual([undefined, undefined]);
  });
});
