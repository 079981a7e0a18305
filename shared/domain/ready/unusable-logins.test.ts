import { describe, expect, test } from "vitest";
import { unusableLogins } from "./unusable-logins.ts";

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

  test.for([
    {
      title: "names a credential helper for a registry",
      content: { auths: { "quay.io": login }, credHelpers: { "1.ecr.aws": "ecr-login" } },
      says: "Logins for 1.ecr.aws are not in the pull secret but in the credential helpers docker-credential-ecr-login",
    },
    {
      title: "was written where a credential helper keeps every login",
      content: { auths: { "quay.io": {}, "reg.lan": {} }, credsStore: "desktop" },
      says: "Logins for quay.io, reg.lan are not in the pull secret but in the credential helpers docker-credential-desktop",
    },
    {
      title: "names only a credential helper",
      content: { credsStore: "desktop" },
      says: "Logins for all registries are not in the pull secret but in the credential helpers docker-credential-desktop",
    },
    {
      title: "names more than can be read",
      content: {
        credHelpers: Object.fromEntries(["g", "f", "e", "d", "c", "b", "a"].map((name) => [name, "ecr"])),
      },
      says: "Logins for a, b, c, d, e and 2 more are not in the pull secret but in the credential helpers docker-credential-ecr",
    },
  ])("When it $title, it should report them once, with a remedy", ({ content, says }) => {
    expect(warningOf(content)).toMatchObject({
      severity: "warning",
      object: file,
      message: expect.stringContaining(says),
      remedy: expect.stringContaining("podman login --authfile"),
    });
  });
});
