import fc from "fast-check";
import { describe, expect } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { aClusterImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { proposePolicies } from "#shared/domain/ready/propose-policies.ts";
import { isHeld, randomScenarios, spread, stocks } from "../images/support/scenarios/random-scenario.ts";
import { expectPull, explainPull, repositoryOf } from "../images/support/scenarios/scenario.ts";
import { signImage } from "../images/support/scenarios/signature.ts";
import { idlePolicy } from "../support/hub/mirror-config-hub.ts";
import { aDigestMirrorSet, aTagMirrorSet } from "../support/hub/objects.ts";
import {
  makeSigner,
  type Signer,
  signatureLayers,
  signatureTag,
} from "../support/servers/cosign-signatures.ts";
import { busybox } from "./support/images.ts";
import { test } from "./support/test.ts";

type Case = readonly [
  name: string,
  objects: readonly KubernetesObject[],
  heldBy: readonly string[],
  by: "digest" | "tag",
  /** How the container ended, or why it waits, in the kubelet's words. */
  reason: string,
  /** Where the image comes from, or what the message of the failure has. */
  end: string | RegExp,
  more?: Readonly<{ signers: readonly Signer[]; without?: RegExp }>,
];

const digests = (...mirrors: readonly string[]) =>
  aDigestMirrorSet("digests", [{ source: "a.io/ns", mirrors }]);
const tags = (...mirrors: readonly string[]) => aTagMirrorSet("tags", [{ source: "a.io/ns", mirrors }]);

const signer = makeSigner();
const keyData = Buffer.from(signer.publicKey).toString("base64");
const signed = aClusterImagePolicy("ours", ["a.io/ns"], {
  rootOfTrust: { policyType: "PublicKey", publicKey: { keyData } },
  signedIdentity: { matchPolicy: "MatchRepository" },
});

const held = ["m1.lan/ns/app", "a.io/ns/app"];
const unsigned = /A signature was required, but no signature exists/;
const signers = [signer];
const wanted = { ...idlePolicy, spec: { ...Object(idlePolicy.spec), scopes: ["a.io/ns"] } };

const cases: readonly Case[] = [
  [
    "When a pod's image is by digest, it should come from the first mirror that has it, past a dead one",
    [digests("m3.lan:9/ns", "m1.lan/ns", "m2.lan:5000/ns")],
    ["m1.lan/ns/app", "m2.lan:5000/ns/app", "a.io/ns/app"],
    "digest",
    "Completed",
    "m1.lan/ns/app",
  ],
  [
    "When a pod's image is by tag, it should come from the first mirror for tags that has it, past a dead one",
    [digests("m1.lan/ns"), tags("m3.lan:9/tags", "m1.lan/tags", "m3.lan/tags")],
    ["m1.lan/ns/app", "m3.lan/tags/app", "a.io/ns/app"],
    "tag",
    "Completed",
    "m3.lan/tags/app",
  ],
  [
    "When the image has no signature that a policy wants, the pull should fail",
    ...([[digests("m1.lan/ns"), wanted], held, "digest", "SignatureValidationFailed", unsigned] as const),
  ],
  [
    "When the image has the signature that a policy wants, it should come from its mirror",
    ...([[digests("m1.lan/ns"), signed], held, "digest", "Completed", "m1.lan/ns/app", { signers }] as const),
  ],
  [
    "When the node lacks the file of registries.d, the same signature should not be found",
    ...([[digests("m1.lan/ns"), signed], held, "digest", "SignatureValidationFailed", unsigned] as const),
    { signers, without: /registries\.d/ },
  ],
];

/** The configurations of podman's random tests, of which a pod's pull takes longer. */
const sample = { seed: 20_240_229, numRuns: 4, endOnFailure: true };

describe("pods on a real node", () => {
  test.for(cases)("$0", async ([name, objects, heldBy, by, reason, end, more], { lab, node }) => {
    const made = await lab.image([[await busybox()], [{ path: "case", content: name }]]);
    const tag = `v${made.digest.slice(-12)}`;
    for (const place of heldBy) await lab.push(made, `${place}:${tag}`);
    if (more) {
      const signature = await signImage(await lab.folder(), made, "a.io/ns/app", more.signers);
      for (const place of heldBy) await lab.push(signature, `${place}:${signatureTag(made.digest)}`);
    }
    const reference = by === "tag" ? `a.io/ns/app:${tag}` : `a.io/ns/app@${made.digest}`;
    const { files } = configureMirrors({ objects });
    await node.configure(files.filter(({ path }) => !more?.without?.test(path)));
    const pulled = await node.pull(reference);
    const from = typeof end === "string" ? end : undefined;
    expect(pulled, pulled.message).toMatchObject({ reason, from });
    expect(pulled.message).toMatch(typeof end === "string" ? /^$/ : end);
    if (more) {
      // What the node does with the signature is what hubrelay says, and proposes as a policy.
      const layers = signatureLayers(made.digest, "a.io/ns/app", more.signers);
      const signatures = layers.map(({ content, annotations }) => ({
        payload: content.toString(),
        annotations,
      }));
      const image = { repository: "a.io/ns/app", digest: made.digest };
      const manifests = new Map([[made.digest, signatures]]);
      const { policies } = proposePolicies(
        [{ image, manifests }],
        { keys: [{ name: "ours", keyData }] },
        {
          apiVersion: signed.apiVersion,
        },
      );
      expect(policies.map(({ spec }) => Object(spec).policy)).toEqual([Object(signed.spec).policy]);
      return;
    }
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
