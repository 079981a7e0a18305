import { expect } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { namespacePolicyPath } from "#shared/domain/openshift/machine-config/node-file.ts";
import { type Signer, signatureTag } from "../../../support/servers/cosign-signatures.ts";
import type { Lab } from "../network/lab.ts";
import { readyIn } from "./ready.ts";
import { expectPull, explainPull } from "./scenario.ts";
import { signImage } from "./signature.ts";

/** Image policies, the signers of an image, and the expected result on a node. */
export type SignedScenario = Readonly<{
  objects: readonly KubernetesObject[];
  signers: readonly Signer[];
  /** The name that is signed; TAG stands for the image's. */
  identity?: string;
  /** The repositories that hold the image. */
  heldBy?: readonly string[];
  /** Those of them that hold its signatures; by default all. */
  signedAt?: readonly string[];
  pull?: string;
  by?: "tag" | "digest";
  /** The namespace of the pod that pulls it. */
  namespace?: string;
  /** Only nodes verify the signature: the certificate of its signer is of a PKI. */
  isUnchecked?: true;
  /** Why the image is refused; undefined when it is accepted. */
  refusal?: string;
}>;

/** Renders, puts the files on a node, and checks with the runtime's library whether it accepts the image. */
export async function dryRun(lab: Lab, policyCheck: string, given: SignedScenario): Promise<void> {
  const { objects, signers, pull: repository = "a.io/ns/app", heldBy = [repository] } = given;
  const { signedAt = heldBy, by = "tag", namespace } = given;
  const image = await lab.image();
  const tag = `v${image.digest.slice(-12)}`;
  for (const place of heldBy) await lab.push(image, `${place}:${tag}`);
  if (signers.length > 0) {
    const identity = (given.identity ?? `${repository}:TAG`).replace("TAG", tag);
    const signatures = await signImage(await lab.folder(), image, identity, signers);
    for (const place of signedAt) await lab.push(signatures, `${place}:${signatureTag(image.digest)}`);
  }

  const { files } = configureMirrors({ objects });
  const node = await lab.node(files);
  const reference = by === "tag" ? `${repository}:${tag}` : `${repository}@${image.digest}`;
  const policy = namespace === undefined ? [] : [node.pathOf(namespacePolicyPath(namespace))];
  const pull = await lab.observe(reference, () => node.run(policyCheck, [reference, ...policy]));

  if (given.refusal === undefined) expect(pull.from, pull.stderr).toBe(heldBy[0]);
  else expect(pull.stderr).toContain(given.refusal);
  const explained = explainPull(reference, files, namespace === undefined ? {} : { namespace });
  const { asked } = expectPull(explained, (place) => heldBy.includes(place));
  expect(pull.asked).toEqual(asked);
  if (namespace === undefined) {
    const judged = (await readyIn(lab, { objects }, [reference])).get(reference);
    const isAccepted = given.refusal === undefined || given.isUnchecked === true;
    expect(judged?.status === "unsigned", JSON.stringify(judged)).toBe(!isAccepted);
  }
  // A signature is required wherever one was given or missed; everything else is accepted unsigned.
  const isDemanded = signers.length > 0 || given.refusal !== undefined;
  expect(explained.map(({ policy }) => policy.verdict)).toEqual([isDemanded ? "signature" : "accept"]);
}
