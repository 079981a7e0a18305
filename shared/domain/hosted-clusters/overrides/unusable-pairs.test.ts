import { describe, expect, test } from "vitest";
import { anImageDigestMirrorSet } from "../../mirrors/fixtures.ts";
import { readManagementMirrors } from "./management-mirrors.ts";

const found = (source: string, ...mirrors: readonly string[]) =>
  readManagementMirrors([anImageDigestMirrorSet("a", [{ source, mirrors }])]).issues.map(
    ({ issue }) => issue,
  );

describe("mirrors that HyperShift cannot use", () => {
  test.for([
    ["quay.io", "m.io"],
    ["quay.io", "m.io:5000"],
    ["quay.io", "m.io/a/b"],
    ["quay.io/ocp", "m.io/x"],
    ["quay.io/ocp", "m.io/x/y"],
    ["quay.io:5000/ocp", "m.io/x"],
    ["quay.io/ocp/release", "m.io/x/y"],
    ["quay.io/ocp/release", "m.io/x/y/z"],
    ["quay.io/ocp/release/more", "m.io/x/y"],
    ["*.quay.io", "m.io"],
  ] as const)("When %s has the mirror %s, it should not warn", ([source, mirror]) => {
    expect(found(source, mirror)).toEqual([]);
  });

  test.for([
    ["quay.io/ocp", "m.io"],
    ["quay.io/ocp", "m.io:5000"],
    ["quay.io/ocp/release", "m.io"],
    ["quay.io/ocp/release", "m.io/x"],
    ["quay.io/ocp/release/more", "m.io/x"],
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
