import { expect } from "vitest";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { aClusterImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { skipBecause } from "../support/setup/skipped-tests.ts";
import { listInLayout } from "./support/registries/oci-layout.ts";
import { readyIn } from "./support/scenarios/ready.ts";
import { makeSigner, signatureTag, signImage } from "./support/scenarios/signature.ts";
import { test } from "./support/test.ts";

const signer = makeSigner();
const policy = aClusterImagePolicy("ours", ["a.io/ns"], {
  rootOfTrust: {
    policyType: "PublicKey",
    publicKey: { keyData: Buffer.from(signer.publicKey).toString("base64") },
  },
});
const mirrors = aDigestMirrorSet("ours", [{ source: "a.io/ns", mirrors: ["m1.lan/c"] }]);

test.for<{ what: string; status: string; architecture?: string; signed?: "image" | "list"; isSigned?: true }>(
  [
    { what: "is complete", status: "ready" },
    { what: "lacks the node's architecture", status: "incomplete", architecture: "s390x" },
    { what: "has the signature of the node's platform", status: "ready", signed: "image", isSigned: true },
    { what: "has only the signature of the list", status: "unsigned", signed: "list", isSigned: true },
    { what: "has no signature", status: "unsigned", isSigned: true },
  ],
)(
  "When a list of manifests $what, it should be $status, and podman should agree",
  async ({ status, architecture = "amd64", signed, isSigned = false }, { lab, skip, task }) => {
    const image = await lab.image();
    const digest = await listInLayout(image.layout, image.digest, architecture);
    await lab.push(image, "m1.lan/c/app:v1");
    const named = `a.io/ns/app@${digest}`;
    if (signed !== undefined) {
      const subject = { ...image, digest: signed === "list" ? digest : image.digest };
      const signatures = await signImage(await lab.folder(), subject, "a.io/ns/app:v1", [signer]);
      await lab.push(signatures, `m1.lan/c/app:${signatureTag(subject.digest)}`);
    }
    const objects = [mirrors, ...(isSigned ? [policy] : [])];
    const one = (await readyIn(lab, { objects }, [named])).get(named);
    const pull = await lab.pull(await lab.node(configureMirrors({ objects }).files), named);
    if (pull.stderr.includes("sigstore disabled"))
      skipBecause({ skip, task }, "Debian's podman verifies no sigstore signatures");
    const shown = `${JSON.stringify(one, null, 2)}\n${pull.stderr}`;
    expect(one?.status, shown).toBe(status);
    expect(pull.from, shown).toBe(status === "ready" ? "m1.lan/c/app" : undefined);
  },
);
