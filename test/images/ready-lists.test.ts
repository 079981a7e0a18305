import { expect } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { aClusterImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { aDigestMirrorSet } from "../support/hub/objects.ts";
import { makeSigner, signatureTag } from "../support/servers/cosign-signatures.ts";
import { because } from "../support/setup/skipped-tests.ts";
import type { Lab } from "./support/network/lab.ts";
import { listInLayout } from "./support/registries/image.ts";
import { whyNoPolicyCheck } from "./support/scenarios/policy-check.ts";
import { readyIn } from "./support/scenarios/ready.ts";
import { signImage } from "./support/scenarios/signature.ts";
import { test } from "./support/test.ts";

const signer = makeSigner();
const policy = aClusterImagePolicy("ours", ["a.io/ns"], {
  rootOfTrust: {
    policyType: "PublicKey",
    publicKey: { keyData: Buffer.from(signer.publicKey).toString("base64") },
  },
});
const mirrors = aDigestMirrorSet("ours", [{ source: "a.io/ns", mirrors: ["m1.lan/c"] }]);

/** Pushes an image for one platform, in a list, to the mirror; returns both. */
async function aList(lab: Lab, architecture: string) {
  const image = await lab.image();
  const list = { ...image, digest: await listInLayout(image.layout, image.digest, architecture) };
  await lab.push(image, "m1.lan/c/app:v1");
  return { image, list };
}

/** Compares the status of an image with whether a node gets it; `policyCheck` judges where podman cannot. */
async function expectAgreement(
  lab: Lab,
  objects: readonly KubernetesObject[],
  { digest, status, policyCheck }: Readonly<{ digest: string; status: string; policyCheck?: string }>,
): Promise<void> {
  const named = `a.io/ns/app@${digest}`;
  const one = (await readyIn(lab, { objects }, [named])).get(named);
  const node = await lab.node(configureMirrors({ objects }).files);
  const podman = await lab.pull(node, named);
  // Debian's podman is built without sigstore, so that it accepts no signature; its library does.
  const pull =
    policyCheck && podman.stderr.includes("sigstore disabled")
      ? await lab.observe(named, () => node.run(policyCheck, [named]))
      : podman;
  const shown = `${JSON.stringify(one, null, 2)}\n${pull.stderr}`;
  expect(one?.status, shown).toBe(status);
  expect(pull.from, shown).toBe(status === "ready" ? "m1.lan/c/app" : undefined);
}

test.for([
  { what: "is complete", status: "ready", architecture: "amd64" },
  { what: "lacks the node's architecture", status: "incomplete", architecture: "s390x" },
])(
  "When a list of manifests $what, it should be $status, and podman should agree",
  async ({ status, architecture }, { lab }) => {
    const { list } = await aList(lab, architecture);
    await expectAgreement(lab, [mirrors], { digest: list.digest, status });
  },
);

test.skipIf(whyNoPolicyCheck).for<{ what: string; status: string; signed?: "image" | "list" }>([
  { what: "the signature of the node's platform", status: "ready", signed: "image" },
  { what: "only the signature of the list", status: "unsigned", signed: "list" },
  { what: "no signature", status: "unsigned" },
])(
  "When a list of manifests has $what, it should be $status, and the container runtime should agree",
  because(whyNoPolicyCheck),
  async ({ status, signed }, { lab, policyCheck }) => {
    const made = await aList(lab, "amd64");
    if (signed !== undefined) {
      const subject = made[signed];
      const signatures = await signImage(await lab.folder(), subject, "a.io/ns/app:v1", [signer]);
      await lab.push(signatures, `m1.lan/c/app:${signatureTag(subject.digest)}`);
    }
    await expectAgreement(lab, [mirrors, policy], { digest: made.list.digest, status, policyCheck });
  },
);
