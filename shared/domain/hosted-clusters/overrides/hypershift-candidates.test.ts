import { describe, expect, test } from "vitest";
import type { ImageCandidate } from "./candidates.ts";
import {
  findCandidatesLikeHypershift,
  findReleaseCandidatesLikeHypershift,
} from "./hypershift-candidates.ts";

const overrides = (object: Readonly<Record<string, readonly string[]>>) => new Map(Object.entries(object));

/** The references in order, the taken one with a star. */
function shown(candidates: readonly ImageCandidate[]): readonly string[] {
  return candidates.map(({ reference, taken }) => `${taken ? "*" : ""}${reference ?? "nothing"}`);
}

describe("findReleaseCandidatesLikeHypershift", () => {
  test.for([
    {
      image: "quay.io/ocp/rel:4",
      given: { "quay.io/ocp": ["m1.io/x", "m2.io/x"] },
      expected: ["*m1.io/x/rel:4", "m2.io/x/rel:4", "quay.io/ocp/rel:4"],
    },
    {
      image: "quay.io/ocp-dev/rel:4",
      given: { "quay.io/ocp": ["m1.io/x"] },
      expected: ["*m1.io/x-dev/rel:4", "quay.io/ocp-dev/rel:4"],
    },
    {
      image: "quay.io/ocp/rel:4",
      given: { io: ["X"] },
      expected: ["*quay.X/ocp/rel:4", "quay.io/ocp/rel:4"],
    },
    { image: "a.io/a.io", given: { "a.io": ["$&"] }, expected: ["*$&/a.io", "a.io/a.io"] },
    {
      image: "quay.io/ocp/rel:4",
      given: { "": [""] },
      expected: ["*quay.io/ocp/rel:4", "quay.io/ocp/rel:4"],
    },
    { image: "quay.io/ocp/rel:4", given: { "a.io": ["b.io"] }, expected: ["*quay.io/ocp/rel:4"] },
  ])("When $given applies to $image, it should try $expected", ({ image, given, expected }) => {
    expect(shown(findReleaseCandidatesLikeHypershift(image, overrides(given)))).toEqual(expected);
  });
});

describe("findCandidatesLikeHypershift", () => {
  test("When several sources match, it should report mirrors, errors and the random order", () => {
    const given = overrides({
      "*.io": ["w.io"],
      "": ["never"],
      "quay.io": ["m.io", "", "n.io"],
      "quay.io/ocp": ["m.io/x"],
      "quay.io/other": ["m.io/y"],
    });
    expect(findCandidatesLikeHypershift("quay.io/ocp/rel:4", given)).toEqual({
      candidates: [
        {
          reference: null,
          source: "*.io",
          mirror: "w.io",
          taken: false,
          reason: 'failed to parse source image reference "*.io": invalid reference format',
        },
        { reference: "m.io/ocp/rel:4", source: "quay.io", mirror: "m.io", taken: true, reason: null },
        {
          reference: "n.io/ocp/rel:4",
          source: "quay.io",
          mirror: "n.io",
          taken: false,
          reason: "HyperShift tries it only if the candidates before it cannot be read",
        },
        {
          reference: "m.io/x/rel:4",
          source: "quay.io/ocp",
          mirror: "m.io/x",
          taken: false,
          reason: "HyperShift tries sources in random order: this one may come before quay.io",
        },
        {
          reference: "quay.io/ocp/rel:4",
          source: null,
          mirror: null,
          taken: false,
          reason: "HyperShift tries it only if the candidates before it cannot be read",
        },
      ],
    });
  });

  test("When the image has invisible characters, it should quote them as Go does", () => {
    expect(findCandidatesLikeHypershift("quay.io/a\u0001", new Map())).toEqual({
      problem: 'failed to parse image reference "quay.io/a\\x01": invalid reference format',
    });
  });

  test("When HyperShift cannot parse the image, it should return the problem", () => {
    expect(findCandidatesLikeHypershift("quay.io/NS", new Map())).toEqual({
      problem: 'failed to parse image reference "quay.io/NS": repository name must be lowercase',
    });
  });
});
