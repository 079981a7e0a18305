import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { parse } from "yaml";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { aClusterImagePolicy, anImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { makeSigner, signatureTag } from "../support/servers/cosign-signatures.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { whyNoPolicyCheck } from "./support/scenarios/policy-check.ts";
import { readyOutput } from "./support/scenarios/ready.ts";
import { signImage } from "./support/scenarios/signature.ts";
import { dryRun, type SignedScenario } from "./support/scenarios/signed-scenario.ts";
import { test } from "./support/test.ts";

const ours = makeSigner();
const theirs = makeSigner();

/** `spec.policy` of a policy that trusts one public key. */
const trusting = ({ publicKey }: Readonly<{ publicKey: string }>, signedIdentity?: object) => ({
  rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: Buffer.from(publicKey).toString("base64") } },
  ...(signedIdentity ? { signedIdentity } : {}),
});

const ourPolicy = aClusterImagePolicy("ours", ["a.io/ns"], trusting(ours));
const mirrored = aDigestMirrorSet("mirrored", [{ source: "a.io/ns", mirrors: ["m1.lan/c"] }]);

const badSignature = "cryptographic signature verification failed";
const noSignature = "A signature was required, but no signature exists";

const cases: readonly (SignedScenario & Readonly<{ name: string }>)[] = [
  {
    name: "When the policy's key has signed the image, it should be accepted",
    objects: [ourPolicy],
    signers: [ours],
  },
  {
    name: "When another key has signed the image, it should be refused",
    objects: [ourPolicy],
    signers: [theirs],
    refusal: badSignature,
  },
  {
    name: "When the signed name has no tag and the repository is matched, it should be accepted",
    objects: [
      aClusterImagePolicy("repository", ["a.io/ns"], trusting(ours, { matchPolicy: "MatchRepository" })),
    ],
    signers: [ours],
    identity: "a.io/ns/app",
  },
  {
    name: "When the image was signed under the exact repository that is requested, it should be accepted",
    objects: [
      aClusterImagePolicy(
        "exact",
        ["a.io/ns"],
        trusting(ours, {
          matchPolicy: "ExactRepository",
          exactRepository: { repository: "vendor.lan/build" },
        }),
      ),
    ],
    signers: [ours],
    identity: "vendor.lan/build:TAG",
  },
  {
    name: "When the image was signed under its maker's prefix, it should be accepted where that is remapped",
    objects: [
      aClusterImagePolicy(
        "remap",
        ["a.io/ns"],
        trusting(ours, {
          matchPolicy: "RemapIdentity",
          remapIdentity: { prefix: "a.io/ns", signedPrefix: "vendor.lan/build" },
        }),
      ),
    ],
    signers: [ours],
    identity: "vendor.lan/build/app:TAG",
  },
  {
    name: "When the image comes from a mirror, it should be accepted for the source's name with the mirror's signature",
    objects: [ourPolicy, mirrored],
    signers: [ours],
    heldBy: ["m1.lan/c/app"],
    by: "digest",
  },
  {
    name: "When the mirror lacks the signature, it should be refused although the source has it",
    objects: [ourPolicy, mirrored],
    signers: [ours],
    heldBy: ["m1.lan/c/app", "a.io/ns/app"],
    signedAt: ["a.io/ns/app"],
    by: "digest",
    refusal: noSignature,
  },
  {
    name: "When two policies have one scope, one signature should not be enough",
    objects: [ourPolicy, aClusterImagePolicy("theirs", ["a.io/ns"], trusting(theirs))],
    signers: [ours],
    refusal: badSignature,
  },
  {
    name: "When a policy's scope lies inside another's, it should apply alone",
    objects: [ourPolicy, aClusterImagePolicy("theirs", ["a.io/ns/app"], trusting(theirs))],
    signers: [theirs],
  },
  {
    name: "When a namespace requires a signature, it should refuse what the cluster accepts",
    objects: [anImagePolicy("team", "own", ["a.io/other"], trusting(ours))],
    signers: [],
    heldBy: ["a.io/other/app"],
    pull: "a.io/other/app",
    namespace: "team",
    refusal: noSignature,
  },
  {
    name: "When a namespace has a policy of its own, the cluster's should apply there too",
    objects: [ourPolicy, anImagePolicy("team", "own", ["a.io/other"], trusting(theirs))],
    signers: [theirs],
    namespace: "team",
    refusal: badSignature,
  },
];

test.skipIf(whyNoPolicyCheck).for(cases)(
  "$name",
  because(whyNoPolicyCheck),
  async (given, { lab, policyCheck }) => {
    await dryRun(lab, policyCheck, given);
  },
);

test.skipIf(whyNoPolicyCheck)(
  "When a proposed policy is enforced, the runtime should accept what it is for, and refuse what was named as unsigned",
  because(whyNoPolicyCheck),
  async ({ lab, policyCheck }) => {
    const key = join(await lab.folder(), "ours.pub");
    await writeFile(key, ours.publicKey);
    const image = await lab.image();
    for (const place of ["app", "bare"]) await lab.push(image, `m1.lan/c/${place}:v1`);
    const signatures = await signImage(await lab.folder(), image, "maker.lan/build/app", [ours]);
    await lab.push(signatures, `m1.lan/c/app:${signatureTag(image.digest)}`);
    const names = ["app", "bare"].map((name) => `a.io/ns/${name}@${image.digest}`);
    const { stdout, stderr } = await readyOutput(lab, { objects: [mirrored] }, names, [
      "--policies",
      "--key",
      key,
    ]);
    expect(stderr).toContain("no policy for a.io/ns/bare");
    const policy = parse(stdout);
    expect(policy.spec.scopes).toEqual(["a.io/ns/app"]);

    const acceptedWith = async (scopes: readonly string[]) => {
      const enforced = { ...policy, spec: { ...policy.spec, scopes } };
      const node = await lab.node(configureMirrors({ objects: [mirrored, enforced] }).files);
      const checked = await Promise.all(names.map((name) => node.run(policyCheck, [name])));
      return checked.map(({ stderr: refusal }) => refusal === "");
    };
    expect(await acceptedWith(["a.io/ns/app"])).toEqual([true, true]);
    expect(await acceptedWith(["a.io/ns/app", "a.io/ns/bare"])).toEqual([true, false]);
  },
);
