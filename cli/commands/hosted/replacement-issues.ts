import type { GivenCluster } from "#shared/domain/hosted-clusters/given-clusters.ts";
import {
  type ExplainHostedOptions,
  explainHostedImage,
  type HostedImageExplanation,
} from "#shared/domain/hosted-clusters/overrides/explain.ts";
import type { RegistryReplacements } from "#shared/domain/hosted-clusters/overrides/registry-overrides-flag.ts";
import { replacementRule } from "#shared/domain/hosted-clusters/overrides/replace-registry.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { parseRelease, type Release } from "#shared/domain/openshift/releases/release.ts";

const code = "AmbiguousReplacement";
const severity = "warning";

/** Reports that an image has one of several names by chance. */
export function namesByChance({
  componentImage,
  otherComponentImages = [],
}: HostedImageExplanation): readonly Issue[] {
  if (otherComponentImages.length === 0) return [];
  const names = [componentImage, ...otherComponentImages];
  return [
    fieldIssue({ kind: "Option", name: "--registry-overrides" }, "", names, {
      code,
      severity,
      message:
        "Control planes of this release replace one source after the other in random order: the component gets any of these names",
      remedy: "Let no source be a part of another source or of a target.",
    }),
  ];
}

/** Reports the hosted clusters whose release gives an image another name than a control plane of `release` does. */
export function namesByRelease(
  image: string,
  clusters: readonly GivenCluster[],
  { replacements, release }: Readonly<{ replacements: RegistryReplacements; release: Release | undefined }>,
): readonly Issue[] {
  const namesIn = (one: Release | undefined) => replacementRule(one).namesOf(image, replacements);
  const [name] = namesIn(release);
  return clusters.flatMap(({ cluster }): Issue[] => {
    const version = cluster.controlPlaneVersion;
    const names = namesIn(parseRelease(version));
    if (names.length === 1 && names[0] === name) return [];
    return [
      fieldIssue(cluster.object, "", names, {
        code,
        severity,
        message: `Its control plane of version ${version} has another name for this component`,
        remedy: "Add the name of the HostedCluster to see its candidates.",
      }),
    ];
  });
}

/** Reports the hosted clusters whose control plane's release takes an image from another place than the newest does. */
export function placesByRelease(
  image: string,
  objects: readonly KubernetesObject[],
  clusters: readonly GivenCluster[],
  options: ExplainHostedOptions,
): readonly Issue[] {
  const byVersion = Map.groupBy(clusters, ({ cluster }) => cluster.controlPlaneVersion);
  return [...byVersion].flatMap(([version, alike]): readonly Issue[] => {
    const explanation = explainHostedImage(image, objects, { ...options, release: parseRelease(version) });
    if ("problem" in explanation || explanation.operatorReference === undefined) return [];
    const reference = explanation.candidates.find(({ taken }) => taken)?.reference ?? null;
    return alike.map(({ cluster }) =>
      fieldIssue(cluster.object, "", reference, {
        code: "SourceIgnoredByRelease",
        severity,
        message: `Its control plane of version ${version} takes the image from ${reference ?? "no place"}`,
        remedy: "Add the name of the HostedCluster to see its candidates.",
      }),
    );
  });
}
