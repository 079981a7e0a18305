import { expect } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import {
  type ExplainOptions,
  explainImage,
  type NameExplanation,
} from "#shared/domain/mirrors/explain/explain-image.ts";
import type { Candidate } from "#shared/domain/mirrors/pull/pull-sources.ts";
import type { NodeFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { type Lab, type Pull, registries } from "../network/lab.ts";

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

/** The expected result of a scenario. */
export type Outcome = Readonly<{
  name: string;
  /** The repositories that receive a request for the image, in order. */
  asked: readonly string[];
  /** The repository that it comes from; undefined when the pull fails. */
  from?: string;
}>;

/**
 * Renders the configuration, puts it on a node, pulls with podman, and compares the result with the expected one and
 * with hubrelay's own prediction. Every scenario has its own image, tag and node.
 */
export async function play(lab: Lab, scenario: Scenario & Outcome): Promise<void> {
  const { objects = [], image, heldBy, pull: repository, by } = scenario;
  const held = await lab.image();
  const tag = `v${held.digest.slice(-12)}`;
  for (const place of heldBy) await lab.push(held, `${place}:${tag}`);
  const reference = by === "tag" ? `${repository}:${tag}` : `${repository}@${held.digest}`;

  const { files, registriesConf } = configureMirrors({
    objects,
    ...(image ? { image } : {}),
  });
  const pull = await lab.pull(await lab.node(files), reference);

  const { asked, from } = scenario;
  const shown = `${registriesConf}\n${pull.stderr}`;
  expect(pull, shown).toMatchObject({ asked, from });
  const predicted = expectPull(explainPull(reference, files), (place) => heldBy.includes(place));
  expect(pull, shown).toMatchObject(predicted);
}

/** Returns the result of `hubrelay explain` for an image on a node with these files: one element for each full name. */
export function explainPull(
  image: string,
  files: readonly NodeFile[],
  options: ExplainOptions = {},
): readonly NameExplanation[] {
  const explained = explainImage(image, files, options);
  if ("problem" in explained) throw new Error(`${image}: ${explained.problem}`);
  return explained.names;
}

/** Returns the registry and repository of a reference; docker.io is served by another host. */
export function repositoryOf(reference: string): string {
  return reference
    .replace(/(?:@sha256:[0-9a-f]{64}|:[^:/]+)$/, "")
    .replace(/^docker\.io\//, "registry-1.docker.io/");
}

function hostOf(repository: string): string {
  return repository.slice(0, repository.indexOf("/"));
}

/** Whether a registry is reachable: clients that verify its certificate reach it only when they trust it. */
function isReachable({ taken, insecure, reference }: Candidate): boolean {
  const protection = registries[hostOf(repositoryOf(reference))];
  return taken && protection !== undefined && (insecure || protection === "trusted");
}

/** Predicts a pull in the registries' log from hubrelay's explanation, given which repositories hold the image. */
export function expectPull(
  names: readonly NameExplanation[],
  isHeldBy: (repository: string) => boolean,
): Pick<Pull, "from" | "asked" | "contacted"> {
  const asked: string[] = [];
  let from: string | undefined;
  for (const { candidates, policy } of names) {
    const reachable = candidates.filter(isReachable).map(({ reference }) => repositoryOf(reference));
    const first = reachable.findIndex(isHeldBy);
    asked.push(...(first < 0 ? reachable : reachable.slice(0, first + 1)));
    // The policy is evaluated when the image has been found, so the registries see rejected images too.
    from = policy.verdict === "accept" ? reachable[first] : undefined;
    if (from !== undefined) break;
  }
  return { from, asked, contacted: [...new Set(asked.map(hostOf))] };
}
