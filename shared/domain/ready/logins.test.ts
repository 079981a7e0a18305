import { expect, test } from "vitest";
import { namespaceLogins } from "./logins.ts";

const config = (matchImages: unknown, name = "cluster", version = "v1") => ({
  apiVersion: `config.openshift.io/${version}`,
  kind: "CRIOCredentialProviderConfig",
  metadata: { name },
  spec: { matchImages },
});

test.for([
  ["quay.io", "quay.io/a/b:1", true],
  ["quay.io", "sub.quay.io/a", false],
  ["*.example.com", "a.example.com/x", true],
  ["*.example.com", "a.b.example.com/x", false],
  ["quay.io/team", "quay.io/team/a@sha256:0", true],
  ["quay.io/team", "quay.io/other/a", false],
  ["quay.io:8443", "quay.io/a", false],
  ["quay.io:8443/a", "quay.io:8443/a/b", true],
] as const)("When %s is listed, other logins for %s should be %s", ([pattern, image, expected]) => {
  for (const version of ["v1", "v1alpha1"])
    expect(namespaceLogins([config([pattern], "cluster", version)])(image)).toBe(expected);
});

test("When there is no usable object, no image should have other logins", () => {
  for (const objects of [[], [config(["quay.io"], "other")], [config("quay.io")], [config([1])]])
    expect(namespaceLogins(objects)("quay.io/a")).toBe(false);
});
