import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { JudgedImage } from "#shared/domain/ready/judge.ts";
import type { Lab } from "../network/lab.ts";

const hubrelay = fileURLToPath(new URL("../../../../cli/hubrelay.js", import.meta.url));

/** The objects by which the nodes of a cluster trust certificate authorities, in PEM. */
export function trustIn(authorities: string): readonly KubernetesObject[] {
  return [
    {
      apiVersion: "config.openshift.io/v1",
      kind: "Proxy",
      metadata: { name: "cluster" },
      spec: { trustedCA: { name: "user-ca-bundle" } },
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "user-ca-bundle", namespace: "openshift-config" },
      data: { "ca-bundle.crt": authorities },
    },
  ];
}

type Cluster = Readonly<{ objects: readonly KubernetesObject[]; image?: KubernetesObject }>;

/** Runs `hubrelay ready` in the network of the lab; returns what it prints. */
export async function readyOutput(
  lab: Lab,
  { objects, image }: Cluster,
  images: readonly string[],
  options: readonly string[],
): Promise<Readonly<{ stdout: string; stderr: string }>> {
  const file = join(await lab.folder(), "cluster.json");
  const items = [...objects, ...(image ? [image] : []), ...trustIn(await readFile(lab.trusted, "utf8"))];
  await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const named = images.flatMap((one) => ["--image", one]);
  const node = await lab.node([]);
  return node.run(process.execPath, [hubrelay, "ready", "-f", file, ...options, ...named]);
}

/** Runs `hubrelay ready` in the network of the lab; returns its judgements by image. */
export async function readyIn(
  lab: Lab,
  cluster: Cluster,
  images: readonly string[],
): Promise<ReadonlyMap<string, JudgedImage>> {
  const { stdout, stderr } = await readyOutput(lab, cluster, images, ["-o", "json"]);
  if (stdout === "") throw new Error(stderr);
  const report: { images: readonly JudgedImage[] } = JSON.parse(stdout);
  return new Map(report.images.map((one) => [one.image, one]));
}
