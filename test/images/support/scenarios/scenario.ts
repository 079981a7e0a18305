import { expect } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import type { Lab, Pull } from "../network/lab.ts";
import { expectPull, explainPull } from "./prediction.ts";

/** A cluster's configuration, where an image lies, and what a node pulls. */
export type Scenario = Readonly<{
  objects?: readonly KubernetesObject[];
  /** `image.config.openshift.io` `cluster`. */
  image?: KubernetesObject;
  /** Whether the pulled image is the release payload of the cluster. */
  isPayload?: boolean;
  /** The repositories that hold the image, as `registry/repository`. */
  heldBy: readonly string[];
  /** The repository that a workload names. */
  pull: string;
  by: "digest" | "tag" | "tag and digest";
}>;

/** The expected result of a scenario. */
export type Outcome = Readonly<{
  name: string;
  /** The repositories that receive a request for the image, in order. */
  asked: readonly string[];
  /** The repository that it comes from; undefined when the pull fails. */
  from?: string;
  /** Part of podman's error message. */
  stderr?: string;
}>;

/**
 * Renders the configuration, puts it on a node, pulls with podman, and compares the result with the expected one and
 * with hubrelay's own prediction. Every scenario has its own image, tag and node.
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

  const { asked, from, stderr = "" } = scenario;
  const shown = `${registriesConf}\n${pull.stderr}`;
  expect(pull, shown).toMatchObject({ asked, from });
  expect(pull.stderr).toContain(stderr);
  const predicted = expectPull(explainPull(reference, files), (place) => heldBy.includes(place));
  expect(pull, shown).toMatchObject(predicted);
  return pull;
}
