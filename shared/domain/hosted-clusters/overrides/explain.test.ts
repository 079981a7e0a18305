import { describe, expect, test } from "vitest";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "../../mirrors/fixtures.ts";
import { explainHostedImage } from "./explain.ts";

const compat = { compat: "hypershift" } as const;
const objects = [
  anImageDigestMirrorSet("d", [{ source: "quay.io/ocp", mirrors: ["m.lan/x"] }]),
  anImageTagMirrorSet("t", [{ source: "quay.io/ocp", mirrors: ["t.lan/x"] }]),
];

const before = { major: 4, minor: 15 };

/** The taken reference, or the problem. */
function takenOf(...[image, options]: [string, Parameters<typeof explainHostedImage>[2]?]) {
  const explanation = explainHostedImage(image, objects, options);
  if ("problem" in explanation) return explanation.problem;
  return explanation.candidates.find(({ taken }) => taken)?.reference;
}

describe("explainHostedImage", () => {
  test.for([
    { image: "quay.io/ocp/rel:4", options: {}, expected: "t.lan/x/rel:4" },
    { image: "quay.io/ocp/rel", options: {}, expected: "t.lan/x/rel:latest" },
    { image: "docker.io/nginx:1", options: {}, expected: "docker.io/library/nginx:1" },
    { image: "quay.io/ocp/rel:4", options: compat, expected: "m.lan/x/rel:4" },
    { image: "other.lan/ocp/rel:4", options: compat, expected: "m.lan/x/rel:4" },
    { image: "quay.io/ocp-dev/rel:4", options: compat, expected: "quay.io/ocp-dev/rel:4" },
    {
      image: "quay.io/ocp-dev/rel:4",
      options: { ...compat, isRelease: true },
      expected: "m.lan/x-dev/rel:4",
    },
    {
      image: "quay.io/ocp/rel:4",
      options: { unavailable: new Map([["t.lan/x/rel:4", "gone"]]) },
      expected: "quay.io/ocp/rel:4",
    },
    {
      image: "quay.io/ocp/rel:4",
      options: { ...compat, unavailable: new Map([["m.lan/x/rel:4", "gone"]]) },
      expected: "quay.io/ocp/rel:4",
    },
    { image: "quay.io/ocp-dev/rel:4", options: { isRelease: true }, expected: "quay.io/ocp-dev/rel:4" },
    { image: "quay.io/ocp/rel:4", options: { release: before }, expected: "quay.io/ocp/rel:4" },
    { image: "quay.io/ocp/rel:4", options: { release: before, isRelease: true }, expected: "t.lan/x/rel:4" },
    { image: "quay.io/ocp/rel:4", options: { ...compat, release: before }, expected: "quay.io/ocp/rel:4" },
    {
      image: "quay.io/ocp/rel:4",
      options: { ...compat, release: before, isRelease: true },
      expected: "m.lan/x/rel:4",
    },
    {
      image: "quay.io/ocp/rel:4",
      options: {
        ...compat,
        release: before,
        isRelease: true,
        unavailable: new Map([["m.lan/x/rel:4", "gone"]]),
      },
      expected: undefined,
    },
  ])("When $image is explained with $options, it should take $expected", ({ image, options, expected }) => {
    expect(takenOf(image, options)).toBe(expected);
  });

  test.for([
    { image: "nginx", options: {}, problem: '"nginx" is not an image name with a host' },
    { image: "quay.io/NS/app", options: {}, problem: '"quay.io/NS/app" is not an image name with a host' },
    { image: "quay.io/NS/app", options: compat, problem: "repository name must be lowercase" },
  ])(
    "When $image is explained with $options, it should return the problem",
    ({ image, options, problem }) => {
      expect(takenOf(image, options)).toContain(problem);
    },
  );

  test("When sources are replaced in a release, it should return the component's name and the same candidates", () => {
    const replacements = new Map([["quay.io", "r.lan"]]);
    const explanation = explainHostedImage("quay.io/ocp/rel:4", objects, { replacements });
    expect(explanation).toMatchObject({ image: "quay.io/ocp/rel:4", componentImage: "r.lan/ocp/rel:4" });
    expect(explanation).toMatchObject({
      candidates: [{ mirror: "m.lan/x" }, { mirror: "t.lan/x", taken: true }, { mirror: null }],
    });
    expect(explainHostedImage("quay.io/ocp/rel:4", objects)).toMatchObject({
      componentImage: "quay.io/ocp/rel:4",
    });
  });

  test("When the control plane is older than the operator, it should say what the operator takes", () => {
    const image = "quay.io/ocp/rel:4";
    const operatorOf = (
      release: Readonly<{ major: number; minor: number }> | undefined,
      isRelease = false,
    ) => {
      const explanation = explainHostedImage(image, objects, { release, isRelease });
      return "problem" in explanation ? explanation.problem : explanation.operatorReference;
    };
    expect(operatorOf(before)).toBe("m.lan/x/rel:4");
    expect([operatorOf(before, true), operatorOf({ major: 4, minor: 17 }), operatorOf(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("When nothing has the image, each location should have its failure", () => {
    const unavailable = new Map([
      ["t.lan/x/rel:4", "gone"],
      ["quay.io/ocp/rel:4", "closed"],
    ]);
    expect(explainHostedImage("quay.io/ocp/rel:4", objects, { unavailable })).toMatchObject({
      candidates: [
        { taken: false, reason: expect.stringContaining("by digest only") },
        { taken: false, reason: "gone" },
        { taken: false, reason: "closed" },
      ],
    });
  });
});
