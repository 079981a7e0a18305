import { describe, expect, test } from "vitest";
import { type ImageReference, tryParseImageReference } from "../../images/image-reference.ts";
import { aRule, payloadRepository as R, releaseImage } from "../fixtures.ts";
import { mergeRules } from "../merge/merge.ts";
import { guardRelease } from "./payload.ts";

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
  const { registriesBlocked, policyBlocked, dropped, containing, failure } = verdict;
  return { blocked: [registriesBlocked, policyBlocked, dropped, containing].map(scopes), failure };
};

const ocp = { [R]: ["m.lab/ocp"] };

/** What is blocked by registries.conf and by policy.json, what is dropped, and what contains the payload. */
const cases: readonly [name: string, given: Given, verdict: readonly string[]][] = [
  ["nothing is blocked", { blocked: [] }, ["", "", "", ""]],
  ["others", { blocked: ["docker.io", `${R}-dev`] }, [`docker.io ${R}-dev`, `docker.io ${R}-dev`, "", ""]],
  [
    "the payload is blocked and has no mirror",
    { blocked: ["quay.io", "docker.io", R] },
    ["docker.io", "docker.io", `quay.io ${R}`, ""],
  ],
  [
    "the payload is blocked and has a mirror",
    { blocked: ["quay.io", "docker.io"], mirrors: ocp },
    ["quay.io docker.io", "quay.io docker.io", "", "quay.io"],
  ],
  ["exactly the payload is blocked", { blocked: [R], mirrors: { "quay.io": ["m.lab"] } }, [R, "", "", R]],
  ["its mirror is too", { blocked: ["quay.io", "*.lab"], mirrors: ocp }, ["*.lab", "*.lab", "quay.io", ""]],
  ["it has a tag", { blocked: ["quay.io"], mirrors: ocp, image: `${R}:4.19` }, ["", "", "quay.io", ""]],
  ["a wildcard is", { blocked: ["*.io"], mirrors: { "quay.io": ["m.lab"] } }, ["*.io", "*.io", "", "*.io"]],
];

describe("guardRelease", () => {
  test.for(cases)("When $0, it should decide what is blocked", ([, given, verdict]) => {
    expect(guard(given)).toEqual({ blocked: verdict, failure: undefined });
  });

  test.for<[name: string, given: Given, failure: RegExp]>([
    [
      "a wildcard source covers a blocked scope",
      { blocked: ["quay.io", "x.corp.io"], mirrors: { "*.corp.io": ["m.lab"], [R]: ["m.lab/ocp"] } },
      /for a wildcard scope "\*\.corp\.io"/,
    ],
    [
      "a mirror is a bare host",
      { blocked: ["quay.io", "docker.io"], mirrors: { [R]: ["m.lab"] } },
      /rewriting reference: m\.lab@sha256/,
    ],
    ["a scope has a scheme", { blocked: ["quay.io", "http://x.io"], mirrors: ocp }, /URI schemes are/],
    [
      "a wildcard has a path",
      { blocked: ["quay.io"], insecure: ["*.a.io/x"], mirrors: ocp },
      /in the format/,
    ],
    [
      "two scopes are one to the runtime and disagree",
      { blocked: ["quay.io", "b.io/"], insecure: ["b.io"], mirrors: ocp },
      /defined multiple times/,
    ],
    ["it finds no entry", { blocked: ["*.io"], image: `a.io.b.io/x@sha256:${"0".repeat(64)}` }, /no entry/],
  ])("When $0, it should block nothing", ([, given, failure]) => {
    const failed = guard(given);
    expect(failed.blocked).toEqual(["", "", "", ""]);
    expect(failed.failure).toMatch(failure);
  });

  test("When no blocked scope contains the payload, it should not read the mirrors", () => {
    const digest = () => expect.fail("asked for mirrors");
    const input = { payload: reference(releaseImage), digest, insecure: [], blocked: listed(["docker.io"]) };
    expect(guardRelease(input).failure).toBeUndefined();
  });
});
