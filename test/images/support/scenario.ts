import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors, type MirrorConfiguration } from "#shared/domain/mirrors/configuration.ts";
import type { Lab, Pull } from "./lab.ts";

/** A cluster's configuration, where an image lies, and what a node pulls. */
export type Scenario = Readonly<{
  objects?: readonly KubernetesObject[];
  /** `image.config.openshift.io` `cluster`. */
  image?: KubernetesObject;
  /** The repositories that hold the image, as `registry/repository`. */
  heldBy: readonly string[];
  /** The repository that a workload names. */
  pull: string;
  by: "digest" | "tag";
}>;

/** How a scenario ended. */
export type Played = Readonly<{
  configuration: MirrorConfiguration;
  /** What the node was told to pull. */
  reference: string;
  pull: Pull;
}>;

/** Renders the configuration, puts it on a node and pulls. Every scenario has an image, a tag and a node of its own. */
export async function play(lab: Lab, { objects = [], image, heldBy, pull, by }: Scenario): Promise<Played> {
  const configuration = configureMirrors({ objects, ...(image ? { image } : {}) });
  const [held, node] = await Promise.all([lab.image(), lab.node(configuration.files)]);
  const tag = `v${held.digest.slice(-12)}`;
  for (const repository of heldBy) await lab.push(held, `${repository}:${tag}`);
  const reference = by === "digest" ? `${pull}@${held.digest}` : `${pull}:${tag}`;
  return { configuration, reference, pull: await lab.pull(node, reference) };
}
