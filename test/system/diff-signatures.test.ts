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

const [ours, theirs] = [makeSigner(), makeSigner()];

const policySpec = ({ publicKey }: typeof ours) => ({
  rootOfTrust: { policyType: "PublicKey", publicKey: { keyData: Buffer.from(publicKey).toString("base64") } },
  signedIdentity: { matchPolicy: "MatchRepository" },
});

const pod = (namespace: string, image: string, index: number): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `p${index}`, namespace },
  spec: { containers: [{ name: "one", image }] },
});

test("When a signature policy changes, images in use that it refuses, or refuses no longer, should be listed, and as unknown those of a registry that does not respond", async () => {
  const names = ["signed", "bare", "foreign", "own"] as const;
  const images = await Promise.all(names.map((name) => scriptedImage({ layers: [{ [name]: "1" }] })));
  const digestOf = (name: (typeof names)[number]) => images[names.indexOf(name)]?.digest ?? "";
  const signatures = (repository: string, name: (typeof names)[number], by: typeof ours) =>
    [
      `${repository}:${signatureTag(digestOf(name))}`,
      scriptedSignatures(signatureLayers(digestOf(name), `a.io/${repository}:1`, [by])),
    ] as const;
  const { host } = await scriptedRegistry(
    new Map([
      ...images.flatMap((image, index) => [
        [`ns/app:${names[index]}`, image] as const,
        [`guests/app:${names[index]}`, image] as const,
      ]),
      signatures("ns/app", "signed", ours),
      signatures("ns/app", "foreign", theirs),
      signatures("guests/app", "own", theirs),
    ]),
  );
  const down = "127.0.0.1:9";
  const app = (name: (typeof names)[number]) => `a.io/ns/app@${digestOf(name)}`;
  const guest = (name: (typeof names)[number]) => `a.io/guests/app@${digestOf(name)}`;
  const away = `a.io/away/app@${digestOf("signed")}`;
  const other = `b.io/ns/app@${digestOf("bare")}`;
  const present = [
    aDigestMirrorSet("mirrored", [
      { source: "a.io/ns", mirrors: [`${host}/ns`], mirrorSourcePolicy: "NeverContactSource" },
      { source: "a.io/guests", mirrors: [`${host}/guests`], mirrorSourcePolicy: "NeverContactSource" },
      { source: "a.io/away", mirrors: [`${down}/away`], mirrorSourcePolicy: "NeverContactSource" },
    ]),
    anImageConfig({ insecureRegistries: [host, down] }),
    ...[app("signed"), app("bare"), app("foreign"), away, other].map((image, index) =>
      pod("team", image, index),
    ),
    pod("guests", guest("own"), 8),
    pod("guests", guest("bare"), 9),
  ];
  const inNamespace = aClusterImagePolicy("theirs", ["a.io/guests"], policySpec(theirs));
  const added = [
    aClusterImagePolicy("ours", ["a.io/away", "a.io/ns"], policySpec(ours)),
    { ...inNamespace, kind: "ImagePolicy", metadata: { name: "theirs", namespace: "guests" } },
  ];
  const folder = await temporaryFolder();
  for (const [side, objects] of [
    ["old", present],
    ["new", [...present, ...added]],
    ["without-pods", [...present.filter(({ kind }) => kind !== "Pod"), ...added]],
  ] as const) {
    await mkdir(join(folder, side));
    await writeFile(join(folder, side, "all.yaml"), objects.map(writeManifest).join("---\n"));
  }
  const policiesOf = async (...sides: readonly string[]) => {
    const paths = sides.map((side) => (side === "hub" ? side : join(folder, side)));
    const hub = { hub: `directory:${join(folder, "old")}` };
    const { stdout } = await hubrelay(["diff", ...paths, "--check-signatures", "-o", "json"], hub);
    const report = JSON.parse(stdout);
    expect(report.coverage.assumed).toContainEqual({ what: "architecture", text: "architecture amd64" });
    return report.policies
      .filter(({ scope }: { scope: string }) => scope.includes("@"))
      .map(({ effect, text }: Record<string, string>) => `${effect}: ${text}`)
      .sort();
  };
  const refused = [
    `stricter: ${app("bare")}: nodes refuse it: a policy requires a signature, and none is there`,
    `stricter: ${app("foreign")}: nodes refuse it: a policy requires a signature, and refuses the one that is there: no key of the policy has signed it`,
    `other: ${away}: unknown whether nodes still pull it, since the registry cannot be reached (connect ECONNREFUSED ${down})`,
    `stricter: ${guest("bare")} in namespace guests: nodes refuse it: a policy requires a signature, and none is there`,
  ].sort();
  expect(await policiesOf("old", "new")).toEqual(refused);
  expect(await policiesOf("hub", "without-pods")).toEqual(refused);
  expect(await policiesOf("new", "old")).toEqual(
    [
      `weaker: ${app("bare")}: nodes pull it, and refused it before`,
      `weaker: ${app("foreign")}: nodes pull it, and refused it before`,
      `weaker: ${guest("bare")} in namespace guests: nodes pull it, and refused it before`,
    ].sort(),
  );
});
