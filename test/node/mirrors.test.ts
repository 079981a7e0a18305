import fc from "fast-check";
import { describe, expect } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { aClusterImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { isHeld, randomScenarios, spread, stocks } from "../images/support/scenarios/random-scenario.ts";
import { expectPull, explainPull, repositoryOf } from "../images/support/scenarios/scenario.ts";
import { makeSigner, type Signer, signatureTag, signImage } from "../images/support/scenarios/signature.ts";
import { idlePolicy } from "../support/hub/mirror-config-hub.ts";
import { aDigestMirrorSet, aTagMirrorSet } from "../support/hub/objects.ts";
import { busybox } from "./support/images.ts";
import { test } from "./support/test.ts";

type Case = Readonly<{
  name: string;
  objects?: readonly KubernetesObject[];
  image?: KubernetesObject;
  heldBy: readonly string[];
  by: "digest" | "tag";
  /** The repository that the pod names. */
  repository?: string;
  /** Who signs it. */
  signers?: readonly Signer[];
  /** Leaves these of the rendered files out. */
  without?: RegExp;
  /** How the container ended, or why it waits, in the kubelet's words. */
  reason: string;
  message: RegExp;
  from?: string;
}>;

const digests = (...mirrors: readonly string[]) =>
  aDigestMirrorSet("digests", [{ source: "a.io/ns", mirrors }]);
const tags = (...mirrors: readonly string[]) => aTagMirrorSet("tags", [{ source: "a.io/ns", mirrors }]);

const signer = makeSigner();
const keyData = Buffer.from(signer.publicKey).toString("base64");
const signed = aClusterImagePolicy("ours", ["a.io/ns"], {
  rootOfTrust: { policyType: "PublicKey", publicKey: { keyData } },
  signedIdentity: { matchPolicy: "MatchRepository" },
});

const cases: readonly Case[] = [
  {
    name: "When a pod's image is by digest, it should come from the first mirror that has it, past a dead one",
    objects: [digests("m3.lan:9/ns", "m1.lan/ns", "m2.lan:5000/ns")],
    heldBy: ["m1.lan/ns/app", "m2.lan:5000/ns/app", "a.io/ns/app"],
    by: "digest",
    reason: "Completed",
    message: /^$/,
    from: "m1.lan/ns/app",
  },
  {
    name: "When a pod's image is by tag, it should come from the first mirror for tags that has it, past a dead one",
    objects: [digests("m1.lan/ns"), tags("m3.lan:9/tags", "m1.lan/tags", "m3.lan/tags")],
    heldBy: ["m1.lan/ns/app", "m3.lan/tags/app", "a.io/ns/app"],
    by: "tag",
    reason: "Completed",
    message: /^$/,
    from: "m3.lan/tags/app",
  },
  {
    name: "When the image has no signature that a policy wants, the pull should fail",
    objects: [
      aDigestMirrorSet("digests", [{ source: "a.io/ns", mirrors: ["m1.lan/ns"] }]),
      {
        ...idlePolicy,
        spec: { ...Object(idlePolicy.spec), scopes: ["a.io/ns"] },
      },
    ],
    heldBy: ["m1.lan/ns/app", "a.io/ns/app"],
    by: "digest",
    reason: "SignatureValidationFailed",
    message: /A signature was required, but no signature exists/,
  },
  {
    name: "When the image has the signature that a policy wants, it should come from its mirror",
    objects: [digests("m1.lan/ns"), signed],
    signers: [signer],
    heldBy: ["m1.lan/ns/app", "a.io/ns/app"],
    by: "digest",
    reason: "Completed",
    message: /^$/,
    from: "m1.lan/ns/app",
  },
  {
    name: "When the node lacks the file of registries.d, the same signature should not be found",
    objects: [digests("m1.lan/ns"), signed],
    signers: [signer],
    without: /registries\.d/,
    heldBy: ["m1.lan/ns/app", "a.io/ns/app"],
    by: "digest",
    reason: "SignatureValidationFailed",
    message: /A signature was required, but no signature exists/,
  },
];

/** The configurations of podman's random tests, of which a pod's pull takes longer. */
const sample = { seed: 20_240_229, numRuns: 4, endOnFailure: true };

describe("pods on a real node", () => {
  test.for(cases)("$name", async (scenario, { lab, node }) => {
    const { objects = [], image, heldBy, by, repository = "a.io/ns/app", signers, without } = scenario;
    const made = await lab.image([[await busybox()], [{ path: "case", content: scenario.name }]]);
    const tag = `v${made.digest.slice(-12)}`;
    for (const place of heldBy) await lab.push(made, `${place}:${tag}`);
    if (signers) {
      const signature = await signImage(await lab.folder(), made, "a.io/ns/app", signers);
      for (const place of heldBy) await lab.push(signature, `${place}:${signatureTag(made.digest)}`);
    }
    const reference = by === "tag" ? `${repository}:${tag}` : `${repository}@${made.digest}`;
    const { files } = configureMirrors({ objects, ...(image ? { image } : {}) });
    await node.configure(files.filter(({ path }) => !without?.test(path)));
    const pulled = await node.pull(reference);
    expect(pulled, pulled.message).toMatchObject({ reason: scenario.reason, from: scenario.from });
    expect(pulled.message).toMatch(scenario.message);
    // What explain says about it depends on whether the signatures are good.
    if (signers) return;
    const predicted = expectPull(explainPull(reference, files), (place) => heldBy.includes(place));
    expect(pulled.from).toBe(predicted.from);
    expect(pulled.contacted).toEqual(predicted.contacted);
  });

  test("When configurations are random, CRI-O should do what hubrelay explains", async ({ lab, node }) => {
    const stocked = await stocks(lab, [[await busybox()]]);
    const ends = new Set<string>();
    const explained = fc.asyncProperty(randomScenarios(spread.length), async (scenario) => {
      const { files, registriesConf } = configureMirrors(scenario);
      const held = stocked[scenario.held];
      if (!held) throw new Error(`there is no image ${scenario.held}`);
      await node.configure(files);
      for (const name of scenario.pulls.flatMap((pull) => [
        `${pull}:${held.tag}`,
        `${pull}@${held.image.digest}`,
      ])) {
        const names = explainPull(name, files);
        const places = names.flatMap(({ candidates }) => candidates).filter(({ taken }) => taken);
        for (const { reference } of places) await held.provide(repositoryOf(reference));
        const pulled = await node.pull(name);
        const { from, contacted } = expectPull(names, (repository) => isHeld(scenario.held, repository));
        expect(
          { from: pulled.from, contacted: pulled.contacted },
          `${name}\n${registriesConf}\n${pulled.message}`,
        ).toEqual({ from, contacted });
        ends.add(pulled.reason);
      }
    });
    await fc.assert(explained, sample);
    expect([...ends]).toEqual(expect.arrayContaining(["Completed", "ErrImagePull"]));
  });
});
