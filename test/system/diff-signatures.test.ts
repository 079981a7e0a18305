import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { writeManifest } from "#shared/domain/manifests/manifests.ts";
import { aClusterImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { aDigestMirrorSet, anImageConfig } from "../support/hub/objects.ts";
import { makeSigner, signatureLayers, signatureTag } from "../support/servers/cosign-signatures.ts";
import { scriptedImage, scriptedRegistry, scriptedSignatures } from "../support/servers/scripted-registry.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const signer = makeSigner();

test("When a policy is added, images in use that it refuses should be listed, and those of a registry that does not respond as unknown", async () => {
  const images = {
    signed: await scriptedImage({ layers: [{ a: "1" }] }),
    bare: await scriptedImage({ layers: [{ b: "1" }] }),
    foreign: await scriptedImage({ layers: [{ c: "1" }] }),
  };
  const signaturesOf = (digest: string, by: typeof signer) =>
    scriptedSignatures(signatureLayers(digest, "a.io/ns/app:1", [by]));
  const { host } = await scriptedRegistry(
    new Map([
      ...Object.entries(images).map(([name, image]) => [`ns/app:${name}`, image] as const),
      [`ns/app:${signatureTag(images.signed.digest)}`, signaturesOf(images.signed.digest, signer)],
      [`ns/app:${signatureTag(images.foreign.digest)}`, signaturesOf(images.foreign.digest, makeSigner())],
    ]),
  );
  const down = "127.0.0.1:9";
  const pod = (name: string, image: string): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "team" },
    spec: { containers: [{ name: "one", image }] },
  });
  const app = (name: keyof typeof images) => `a.io/ns/app@${images[name].digest}`;
  const away = `a.io/away/app@${images.signed.digest}`;
  const other = `b.io/ns/app@${images.bare.digest}`;
  const present = [
    aDigestMirrorSet("mirrored", [
      { source: "a.io/ns", mirrors: [`${host}/ns`], mirrorSourcePolicy: "NeverContactSource" },
      { source: "a.io/away", mirrors: [`${down}/away`], mirrorSourcePolicy: "NeverContactSource" },
    ]),
    anImageConfig({ insecureRegistries: [host, down] }),
    ...[app("signed"), app("bare"), app("foreign"), away, other].map((image, index) =>
      pod(`p${index}`, image),
    ),
  ];
  const policy = aClusterImagePolicy("ours", ["a.io"], {
    rootOfTrust: {
      policyType: "PublicKey",
      publicKey: { keyData: Buffer.from(signer.publicKey).toString("base64") },
    },
    signedIdentity: { matchPolicy: "MatchRepository" },
  });
  const folder = await temporaryFolder();
  for (const [side, objects] of [
    ["old", present],
    ["new", [...present, policy]],
  ] as const) {
    await mkdir(join(folder, side));
    await writeFile(join(folder, side, "all.yaml"), objects.map(writeManifest).join("---\n"));
  }
  const sides = [join(folder, "old"), join(folder, "new")];
  const { stdout } = await hubrelay(["diff", ...sides, "--check-signatures", "-o", "json"]);
  const texts = JSON.parse(stdout).policies.map(
    ({ effect, text }: Record<string, string>) => `${effect}: ${text}`,
  );
  expect(texts).toEqual([
    expect.stringContaining("stricter: a.io: only images with the required signature may be pulled"),
    `stricter: ${app("bare")} is no longer pulled: a policy requires a signature, and none is there`,
    expect.stringContaining(`stricter: ${app("foreign")} is no longer pulled: a policy requires a signature`),
    expect.stringContaining(`other: ${away}: unknown whether it is still pulled, since`),
  ]);
  const unasked = await hubrelay(["diff", ...sides, "-o", "json"]);
  expect(JSON.parse(unasked.stdout).policies).toHaveLength(1);
});
