import { expect, test } from "vitest";
import { aClusterImagePolicy, anImagePolicy, simplePolicy } from "../policies/fixtures.ts";
import { issuesAbout, places } from "./fixtures.ts";

test("When a policy leaves the match policy out, it should report what the default refuses", () => {
  expect(issuesAbout({ objects: [aClusterImagePolicy("signed", ["quay.io/acme"])] })).toEqual([
    {
      code: "SignatureNameNeedsTag",
      severity: "warning",
      object: { kind: "ClusterImagePolicy", name: "signed" },
      path: "spec.policy.signedIdentity",
      value: null,
      message:
        "by default a signature is refused when its name has neither tag nor digest, also for pulls by digest",
      remedy:
        "Write matchPolicy MatchRepository if the signer leaves the tag out, as cosign does, or MatchRepoDigestOrExact if it does not.",
    },
  ]);
});

test("When a namespace's policy sets it to null, it should report the same", () => {
  const policy = { ...simplePolicy, signedIdentity: null };
  expect(
    places(issuesAbout({ objects: [anImagePolicy("team", "signed", ["quay.io/acme"], policy)] })),
  ).toEqual(["SignatureNameNeedsTag ImagePolicy/signed spec.policy.signedIdentity"]);
});

test.for(["MatchRepoDigestOrExact", "MatchRepository"])(
  "When it is written out as %s, it should report nothing",
  (matchPolicy) => {
    const policy = { ...simplePolicy, signedIdentity: { matchPolicy } };
    expect(issuesAbout({ objects: [aClusterImagePolicy("signed", ["quay.io/acme"], policy)] })).toEqual([]);
  },
);

test("When it is RemapIdentity, it should report that a signature needs a tag, and what does not need one", () => {
  const remapIdentity = { prefix: "quay.io/acme", signedPrefix: "registry.acme.example" };
  const policy = { ...simplePolicy, signedIdentity: { matchPolicy: "RemapIdentity", remapIdentity } };
  expect(issuesAbout({ objects: [aClusterImagePolicy("signed", ["quay.io/acme"], policy)] })).toEqual([
    {
      code: "SignatureNameNeedsTag",
      severity: "warning",
      object: { kind: "ClusterImagePolicy", name: "signed" },
      path: "spec.policy.signedIdentity.matchPolicy",
      value: "RemapIdentity",
      message:
        "with RemapIdentity a signature is refused when its name has neither tag nor digest, also for pulls by digest",
      remedy:
        "Sign with the tag in the name (cosign: --sign-container-identity), or write matchPolicy ExactRepository with the signed repository, which needs no tag.",
    },
  ]);
});
