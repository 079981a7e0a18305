import { describe, expect, test } from "vitest";
import { parseDockerReference, referenceText } from "../../images/docker-reference.ts";
import { anImageDigestMirrorSet } from "../../mirrors/fixtures.ts";
import { overridesLikeHypershift } from "./hub-overrides.ts";
import { applyPair } from "./hypershift-rules.ts";

const digest = `sha256:${"d".repeat(64)}`;
const invalid = "invalid reference format";
const composed = (rule: string) => `failed to parse composed image reference (${rule}): ${invalid}`;

describe("parseDockerReference", () => {
  test.for([
    { text: "a.io/b/c/d", parts: ["a.io", "b", "c/d", "", ""] },
    { text: "a.io/b", parts: ["a.io", "", "b", "", ""] },
    { text: "a.io", parts: ["", "", "a.io", "", ""] },
    { text: "a.io:5000/b:1", parts: ["a.io:5000", "", "b", "1", ""] },
    { text: `a.io/b/c:1@${digest}`, parts: ["a.io", "b", "c", "1", digest] },
    {
      text: `a.io/b/c@sha512:${"A".repeat(128)}`,
      parts: ["a.io", "b", "c", "", `sha512:${"A".repeat(128)}`],
    },
    { text: `a.io/${"b".repeat(250)}`, parts: ["a.io", "", "b".repeat(250), "", ""] },
  ])("When the text is $text, it should be parsed", ({ text, parts }) => {
    const [registry, namespace, name, tag, digestPart] = parts;
    expect(parseDockerReference(text)).toEqual({
      reference: { registry, namespace, name, tag, digest: digestPart },
    });
  });

  test.for([
    { text: "", error: "repository name must have at least one component" },
    { text: "Quay.io", error: "repository name must be lowercase" },
    { text: "*.io", error: invalid },
    { text: `a.io/b:${"1".repeat(129)}`, error: invalid },
    { text: "a.io/b\n", error: invalid },
    { text: `a.io/b@sha256:${"d".repeat(63)}`, error: "invalid checksum digest length" },
    { text: `a.io/b@multihash+base58:${"d".repeat(32)}`, error: "unsupported digest algorithm" },
    { text: `a.io/b@md5:${"d".repeat(32)}`, error: "unsupported digest algorithm" },
    { text: `a.io/${"b".repeat(251)}`, error: "repository name must not be more than 255 characters" },
  ])("When the text is '$text', it should be refused: $error", ({ text, error }) => {
    expect(parseDockerReference(text)).toEqual({ error });
  });
});

describe("referenceText", () => {
  test.for([
    { text: "docker.io/nginx:1", expected: "docker.io/library/nginx:1" },
    { text: "nginx", expected: "nginx" },
    { text: `a.io/b/c:1@${digest}`, expected: `a.io/b/c@${digest}` },
  ])("When $text is written again, it should be $expected", ({ text, expected }) => {
    const parsed = parseDockerReference(text);
    expect("reference" in parsed && referenceText(parsed.reference)).toBe(expected);
  });
});

describe("applyPair", () => {
  test.for([
    ["quay.io/ocp/rel:4", "quay.io", "m.io:5000/x", "m.io:5000/x/ocp/rel:4"],
    [`quay.io/ocp/rel:4@${digest}`, "quay.io", "m.io/x", `m.io/x/ocp/rel@${digest}`],
    ["quay.io/ocp/rel:4", "quay.io:5000", "m.io", "m.io/ocp/rel:4"],
    ["quay.io/ocp/rel:4", "quay.io/ocp", "m.io/x", "m.io/x/rel:4"],
    ["quay.io/ocp/rel:4", "quay.io/ocp", "m.io/x/y", "m.io/y/rel:4"],
    ["other.io/ocp/rel:4", "quay.io/ocp", "m.io/x", "m.io/x/rel:4"],
    ["quay.io/ocp/rel:4", "quay.io/ocp/rel", "m.io/x/y", "m.io/x/y:4"],
    [`quay.io/ocp/rel@${digest}`, "quay.io/ocp/rel", "m.io:5000/x/y", `m.io:5000/x/y@${digest}`],
    ["quay.io/ocp/rel:4", "ocp", "m.io/x", "m.io/x/rel:4"],
  ] as const)("When $1=$2 applies to $0, it should become $3", ([image, source, mirror, to]) => {
    expect(verdictOf(image, source, mirror)).toEqual({ state: "match", reference: to });
  });

  test.for([
    { image: "quay.io:5000/ocp/rel:4", source: "quay.io:5000", mirror: "m.io" },
    { image: "quay.io/ocp-dev/rel:4", source: "quay.io/ocp", mirror: "m.io/x" },
    { image: "quay.io/ocp/rel/sub:4", source: "quay.io/ocp/rel", mirror: "m.io/x/y" },
    { image: "quay.io/ocp/rel:4", source: "a/ocp", mirror: "m.io/x" },
  ])("When $source=$mirror applies to $image, it should not match", ({ image, source, mirror }) => {
    expect(verdictOf(image, source, mirror)).toEqual({ state: "no match" });
  });

  test.for([
    ["quay.io/app:1", "quay.io", "m.io", composed("root registry match")],
    ["quay.io/ocp/rel:4", "quay.io/ocp", "m.io", composed("namespace match")],
    ["quay.io/ocp/rel:4", "quay.io/ocp/rel", "m.io/x", composed("exact match")],
    ["quay.io/ocp/rel:4", "*.io", "m.io", `failed to parse source image reference "*.io": ${invalid}`],
    [
      "quay.io/ocp/rel:4",
      "quay.io",
      "M.io",
      'failed to parse mirror image reference "M.io": repository name must be lowercase',
    ],
  ] as const)("When $1=$2 applies to $0, it should be skipped: $3", ([image, source, mirror, message]) => {
    expect(verdictOf(image, source, mirror)).toEqual({ state: "error", message });
  });
});

function verdictOf(image: string, source: string, mirror: string) {
  const parsed = parseDockerReference(image);
  if ("error" in parsed) throw new Error(`${image}: ${parsed.error}`);
  return applyPair(parsed.reference, source, mirror);
}

describe("applyPair of a release before 4.17", () => {
  test.for([
    ["quay.io/ocp/rel:4", "quay.io", "m.io/x", { state: "no match" }],
    ["quay.io/ocp/rel:4", "quay.io/ocp", "m.io/x", { state: "no match" }],
    ["quay.io/ocp/rel:4", "quay.io/ocp/rel", "m.io/x/y:5", { state: "match", reference: "m.io/x/y:5" }],
    [
      `quay.io/ocp/rel@${digest}`,
      "b.io/ocp/rel",
      "m.io/y",
      { state: "match", reference: `m.io/y@${digest}` },
    ],
    [
      "quay.io/ocp/rel:4",
      "quay.io/ocp/rel",
      "m.io/x/y",
      { state: "lost", message: "failed to obtain root manifest: no tag or digest specified" },
    ],
  ] as const)(
    "When %s is looked up with %s from %s, only the repository should match",
    ([image, ...rest]) => {
      const [source, mirror, expected] = rest;
      const parsed = parseDockerReference(image);
      if ("error" in parsed) throw new Error(parsed.error);
      expect(applyPair(parsed.reference, source, mirror, true)).toEqual(expected);
    },
  );
});

const found = (source: string, ...mirrors: readonly string[]) =>
  overridesLikeHypershift([anImageDigestMirrorSet("a", [{ source, mirrors }])]).issues.map(
    ({ issue }) => issue,
  );

describe("mirrors that HyperShift cannot use", () => {
  test.for([
    ["quay.io", "m.io"],
    ["quay.io", "m.io/a/b"],
    ["quay.io/ocp", "m.io/x"],
    ["quay.io/ocp", "m.io/x/y"],
    ["quay.io/ocp/release", "m.io/x/y"],
    ["quay.io/ocp/release/more", "m.io/x/y"],
  ] as const)("When %s has the mirror %s, it should not warn", ([source, mirror]) => {
    expect(found(source, mirror)).toEqual([]);
  });

  test.for([
    ["quay.io/ocp", "m.io"],
    ["quay.io/ocp/release", "m.io"],
    ["quay.io/ocp/release", "m.io/x"],
    ["quay.io:5000", "m.io"],
  ] as const)("When %s has the mirror %s, it should warn", ([source, mirror]) => {
    expect(found(source, mirror)).toMatchObject([
      {
        code: "UnusablePair",
        severity: "warning",
        object: { kind: "ImageDigestMirrorSet", name: "a" },
        path: "spec.imageDigestMirrors[0].mirrors[0]",
        value: mirror,
      },
    ]);
  });

  test("When some mirrors of a rule cannot be used, it should name each with what to write", () => {
    const issues = found("quay.io/ocp/release", "m.io/x/y", "n.io/x");
    expect(issues).toMatchObject([
      {
        path: "spec.imageDigestMirrors[0].mirrors[1]",
        message:
          "HyperShift cannot make an image name of source quay.io/ocp/release and this mirror (failed to parse composed image reference (exact match): invalid reference format) and skips it, except for release images",
        remedy: "Give the mirror as many parts as the source has: host[:port]/ocp/release.",
      },
    ]);
    expect(found("quay.io:5000", "m.io")[0]).toMatchObject({
      message:
        "HyperShift cannot make an image name of source quay.io:5000 and this mirror (it reads the port of the source as a tag) and skips it, except for release images",
      remedy: "Write a rule for each namespace: quay.io:5000/NAMESPACE.",
    });
  });
});
