import { describe, expect, test } from "vitest";
import { type ImageReference, tryParseImageReference } from "../../images/image-reference.ts";
import { aRule, payloadRepository as R, releaseImage } from "../fixtures.ts";
import { mergeRules } from "../merge/merge.ts";
import { guardRelease } from "./release-guard.ts";

const listed = (scopes: readonly string[]) => scopes.map((scope, index) => ({ scope, path: `[${index}]` }));

function reference(text: string): ImageReference {
  const parsed = tryParseImageReference(text);
  if (!parsed) throw new Error(`${text} is not a reference`);
  return parsed;
}

type Given = Readonly<{
  blocked: string[];
  mirrors?: Record<string, string[]>;
  insecure?: string[];
  image?: string;
}>;

const guard = ({ blocked, mirrors = {}, insecure = [], image = releaseImage }: Given) => {
  const rules = Object.entries(mirrors).map(([source, list]) => aRule(source, list));
  const verdict = guardRelease({
    payload: reference(image),
    digest: () => mergeRules(rules),
    insecure: listed(insecure),
    blocked: listed(blocked),
  });
  const scopes = (list: readonly { scope: string }[]) => list.map(({ scope }) => `${scope}`).join(" ");
  return {
    registries: scopes(verdict.registriesBlocked),
    policy: scopes(verdict.policyBlocked),
    dropped: scopes(verdict.dropped),
    containing: scopes(verdict.containing),
    failure: verdict.failure,
  };
};

const cases = [
  {
    name: "nothing is blocked",
    given: { blocked: [] },
    verdict: { registries: "", policy: "", dropped: "", containing: "" },
  },
  {
    name: "other scopes are blocked",
    given: { blocked: ["docker.io", `${R}-dev`] },
    verdict: { registries: `docker.io ${R}-dev`, policy: `docker.io ${R}-dev`, dropped: "", containing: "" },
  },
  {
    name: "the payload is blocked and has no mirror",
    given: { blocked: ["quay.io", "docker.io", R] },
    verdict: { registries: "docker.io", policy: "docker.io", dropped: `quay.io ${R}`, containing: "" },
  },
  {
    name: "the payload is blocked and has a mirror",
    given: { blocked: ["quay.io", "docker.io"], mirrors: { [R]: ["m.lab/ocp"] } },
    verdict: {
      registries: "quay.io docker.io",
      policy: "quay.io docker.io",
      dropped: "",
      containing: "quay.io",
    },
  },
  {
    name: "exactly the payload's repository is blocked and has a mirror",
    given: { blocked: [R], mirrors: { "quay.io": ["m.lab"] } },
    verdict: { registries: R, policy: "", dropped: "", containing: R },
  },
  {
    name: "the only mirror is blocked too",
    given: { blocked: ["quay.io", "*.lab"], mirrors: { [R]: ["m.lab/ocp"] } },
    verdict: { registries: "*.lab", policy: "*.lab", dropped: "quay.io", containing: "" },
  },
  {
    name: "the release image is given by tag",
    given: { blocked: ["quay.io"], mirrors: { [R]: ["m.lab/ocp"] }, image: `${R}:4.19` },
    verdict: { registries: "", policy: "", dropped: "quay.io", containing: "" },
  },
  {
    name: "the payload is in a blocked wildcard",
    given: { blocked: ["*.io"], mirrors: { "quay.io": ["m.lab"] } },
    verdict: { registries: "*.io", policy: "*.io", dropped: "", containing: "*.io" },
  },
] satisfies { name: string; given: Given; verdict: object }[];

describe("guardRelease", () => {
  test.for(cases)("When $name, it should decide what is blocked", ({ given, verdict }) => {
    expect(guard(given)).toEqual(verdict);
  });

  test.for<{ name: string; given: Given; failure: RegExp }>([
    {
      name: "a wildcard source covers a blocked scope",
      given: { blocked: ["quay.io", "x.corp.io"], mirrors: { "*.corp.io": ["m.lab"], [R]: ["m.lab/ocp"] } },
      failure: /for a wildcard scope "\*\.corp\.io"/,
    },
    {
      name: "a mirror is a bare host",
      given: { blocked: ["quay.io", "docker.io"], mirrors: { [R]: ["m.lab"] } },
      failure: /rewriting reference: m\.lab@sha256/,
    },
    {
      name: "one of two mirrors is a bare host",
      given: { blocked: ["quay.io"], mirrors: { [R]: ["m.lab", "n.lab/ocp"] } },
      failure: /rewriting reference/,
    },
    {
      name: "a scope has a scheme",
      given: { blocked: ["quay.io", "http://x.io"], mirrors: { [R]: ["m.lab/ocp"] } },
      failure: /URI schemes are not supported/,
    },
    {
      name: "a scope is empty",
      given: { blocked: ["quay.io"], insecure: ["/"], mirrors: { [R]: ["m.lab/ocp"] } },
      failure: /the location of a registry is unset/,
    },
    {
      name: "a wildcard has a path",
      given: { blocked: ["quay.io"], insecure: ["*.a.io/x"], mirrors: { [R]: ["m.lab/ocp"] } },
      failure: /should be in the format/,
    },
    {
      name: "two scopes are one to the runtime and disagree",
      given: { blocked: ["quay.io", "b.io/"], insecure: ["b.io"], mirrors: { [R]: ["m.lab/ocp"] } },
      failure: /defined multiple times/,
    },
    {
      name: "the runtime's way of matching finds no entry",
      given: { blocked: ["*.io"], image: `a.io.b.io/x@sha256:${"0".repeat(64)}` },
      failure: /no entry/,
    },
  ])("When $name, it should block nothing", ({ given, failure }) => {
    const failed = guard(given);
    expect(failed).toMatchObject({ registries: "", policy: "", dropped: "", containing: "" });
    expect(failed.failure).toMatch(failure);
  });

  test("When no blocked scope contains the payload, it should not read the mirrors", () => {
    const digest = () => expect.fail("asked for mirrors");
    const input = { payload: reference(releaseImage), digest, insecure: [], blocked: listed(["docker.io"]) };
    expect(guardRelease(input).failure).toBeUndefined();
  });
});
