import { expect } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import type { Lab, Pull } from "./lab.ts";
import { expectPull, explainPull } from "./prediction.ts";

/** A cluster's configuration, where an image lies, and what a node pulls. */
export type Scenario = Readonly<{
  objects?: readonly KubernetesObject[];
  /** `image.config.openshift.io` `cluster`. */
  image?: KubernetesObject;
  /** The image that is pulled is the release payload of the cluster. */
  isPayload?: boolean;
  /** The repositories that hold the image, as `registry/repository`. */
  heldBy: readonly string[];
  /** The repository that a workload names. */
  pull: string;
  by: "digest" | "tag" | "tag and digest";
}>;

/** What is to come of a scenario. */
export type Outcome = Readonly<{
  name: string;
  /** The repositories that are asked for the image, in order. */
  asked: readonly string[];
  /** The one that it comes from; undefined when the pull fails. */
  from?: string;
  /** Part of what podman complains about. */
  said?: string;
}>;

/**
 * Renders the configuration, puts it on a node, pulls with podman, and expects what was given and what hubrelay
 * itself predicts. Every scenario has an image, a tag and a node of its own.
 */
export async function play(lab: Lab, scenario: Scenario & Outcome): Promise<Pull> {
  const { objects = [], image, isPayload = false, heldBy, pull: repository, by } = scenario;
  const held = await lab.image();
  const tag = `v${held.digest.slice(-12)}`;
  for (const place of heldBy) await lab.push(held, `${place}:${tag}`);
  const tagged = by === "digest" ? repository : `${repository}:${tag}`;
  const reference = by === "tag" ? tagged : `${tagged}@${held.digest}`;

  const { files, registriesConf } = configureMirrors({
    objects,
    ...(image ? { image } : {}),
    ...(isPayload ? { releaseImage: reference } : {}),
  });
  const pull = await lab.pull(await lab.node(files), reference);

  const { asked, from, said = "" } = scenario;
  const shown = `${registriesConf}\n${pull.said}`;
  expect(pull, shown).toMatchObject({ asked, from });
  expect(pull.said).toContain(said);
  const predicted = expectPull(explainPull(reference, files), (place) => heldBy.includes(place));
  expect(pull, shown).toMatchObject(predicted);
  return pull;
}
