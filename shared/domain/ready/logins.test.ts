import { describe, expect, test } from "vitest";
import { namespaceLogins, unusableLogins } from "./logins.ts";

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

const file = { kind: "File", name: "config.json" };
const warningOf = (content: unknown) => unusableLogins(JSON.stringify(content), file, "");
const login = { auth: "cm9ib3Q6cDRzc3cwcmQ=" };

describe("logins that a pull secret leaves to credential helpers", () => {
  test.for([
    ["has a login for everything", { auths: { "quay.io": login } }],
    ["has a token as it is", { auths: { "quay.io": { registrytoken: "t" } }, credsStore: "desktop" }],
    ["has the login of a program, too", { auths: { "quay.io": login }, credHelpers: { "quay.io": "ecr" } }],
    ["has a program for all and needs it for none", { auths: { "quay.io": login }, credsStore: "desktop" }],
    ["has programs that are no names", { credHelpers: { "quay.io": "a b" }, credsStore: 7 }],
    ["is none", ["quay.io"]],
  ] as const)("When it %s, it should report nothing", ([, content]) => {
    expect(warningOf(content)).toBeUndefined();
  });

  const seven = Object.fromEntries(["g", "f", "e", "d", "c", "b", "a"].map((name) => [name, "ecr"]));
  const noLogins = { auths: { "quay.io": {}, "reg.lan": {} }, credsStore: "desktop" };
  test.for([
    [
      "names one for a registry",
      { auths: { "quay.io": login }, credHelpers: { "1.ecr.aws": "ecr-login" } },
      "1.ecr.aws",
      "ecr-login",
    ],
    ["was written where one keeps every login", noLogins, "quay.io, reg.lan", "desktop"],
    ["names only one", { credsStore: "desktop" }, "all registries", "desktop"],
    ["names more than can be read", { credHelpers: seven }, "a, b, c, d, e and 2 more", "ecr"],
  ] as const)("When it $0, it should report them once, with a remedy", ([, content, registries, helper]) => {
    const says = `Logins for ${registries} are not in the pull secret but in the credential helpers docker-credential-${helper}`;
    expect(warningOf(content)).toMatchObject({
      severity: "warning",
      object: file,
      message: expect.stringContaining(says),
      remedy: expect.stringContaining("podman login --authfile"),
    });
  });
});
