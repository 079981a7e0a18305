import type { GivenCluster } from "#shared/domain/hosted-clusters/given-clusters.ts";
import {
  type ExplainHostedOptions,
  explainHostedImage,
  type HostedImageExplanation,
} from "#shared/domain/hosted-clusters/overrides/explain.ts";
import { replacementRule } from "#shared/domain/hosted-clusters/overrides/registry-replacements.ts";
import { fieldIssue, type Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";

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

/**
 * Reports the hosted clusters whose control plane's release gives an image another name, or takes it from another place,
 * than the rules of HyperShift's main do.
 */
export function resultsByRelease(
  image: string,
  objects: readonly KubernetesObject[],
  clusters: readonly GivenCluster[],
  { replacements, isRelease }: ExplainHostedOptions,
): readonly Issue[] {
  const [name] = replacementRule(undefined).namesOf(image, replacements ?? new Map());
  const byVersion = Map.groupBy(clusters, ({ cluster }) => cluster.controlPlaneVersion);
  return [...byVersion].flatMap(([version, alike]): readonly Issue[] => {
    const release = parseRelease(version);
    const explanation = explainHostedImage(image, objects, { replacements, isRelease, release });
    if ("problem" in explanation) return [];
    const { componentImage, otherComponentImages = [], operatorReference, candidates } = explanation;
    const names = [componentImage, ...otherComponentImages];
    const reference = candidates.find(({ taken }) => taken)?.reference ?? null;
    const report = (problem: Pick<Issue, "code" | "value" | "message">) =>
      alike.map(({ cluster }) =>
        fieldIssue(cluster.object, "", problem.value, {
          ...problem,
          severity,
          remedy: "Add the name of the HostedCluster to see its candidates.",
        }),
      );
    return [
      ...(names.length === 1 && componentImage === name
        ? []
        : report({
            code,
            value: names,
            message: `Its control plane of version ${version} has another name for this component`,
          })),
      ...(operatorReference === undefined
        ? []
        : report({
            code: "SourceIgnoredByRelease",
            value: reference,
            message: `Its control plane of version ${version} takes the image from ${reference ?? "no place"}`,
          })),
    ];
  });
}
