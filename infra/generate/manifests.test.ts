import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/setup/temporary-folder.ts";
import { nodeLabels as labels } from "./fixtures.ts";
import { functionManifests } from "./manifests.ts";

const taints = { ...labels, name: "node-taints", queue: "node-taint-sets", sendsTo: ["node-label-sets"] };

/** Reads the manifests of a repository with these two functions, in folders of these names. */
async function manifestsOf(other: object, folder = "node-taints") {
  const root = await temporaryFolder();
  for (const [name, manifest] of Object.entries({ "node-labels": labels, [folder]: other })) {
    await mkdir(join(root, "functions", name), { recursive: true });
    const text = `export const manifest = ${JSON.stringify(manifest)};\nexport const hubRole = () => ({});\n`;
    await writeFile(join(root, "functions", name, "manifest.ts"), text);
  }
  await writeFile(join(root, "package.json"), '{"type":"module"}');
  return functionManifests(root).map(({ name }) => name);
}

test("When each function has its folder and a queue of its own, their manifests should be read", async () => {
  expect(await manifestsOf(taints)).toEqual(["node-labels", "node-taints"]);
});

test.for([
  {
    why: "another name than its folder",
    manifest: { ...taints, name: "node-taint" },
    says: 'name: "node-taint" is not the name of its folder.',
  },
  {
    why: "a name that AWS or Kubernetes refuse",
    manifest: { ...taints, queue: "Node_Taints" },
    says: 'queue: "Node_Taints" has more than lower case letters, digits and single dashes.',
  },
  {
    why: "the queue of another function, which would take its messages",
    manifest: { ...taints, queue: "node-label-sets" },
    says: 'queue: "node-label-sets" is the queue of node-labels, too. Fix: give each function a queue of its own.',
  },
  {
    why: "messages for a queue that no function has",
    manifest: { ...taints, sendsTo: ["node-labels"] },
    says: 'sendsTo: no function has a queue "node-labels", only node-label-sets, node-taint-sets.',
  },
  {
    why: "a text that breaks YAML",
    manifest: { ...taints, description: 'Taints "bad" nodes' },
    says: "description: a quote, backslash, line break or ${ does not fit into YAML.",
  },
])("When a function has $why, the error should name the file and say: $says", async ({ manifest, says }) => {
  await expect(manifestsOf(manifest)).rejects.toThrow(`functions/node-taints/manifest.ts: ${says}`);
});
