import type { GivenCluster } from "#shared/domain/hosted-clusters/given-clusters.ts";
import { explainHostedImage } from "#shared/domain/hosted-clusters/overrides/explain.ts";
import { fieldWarning, type Issue } from "#shared/domain/issues/issue.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { parseRelease } from "#shared/domain/openshift/releases/release.ts";

/** Reports hosted clusters whose control plane takes an image from another location than HyperShift's main branch. */
export function resultsByRelease(
  image: string,
  objects: readonly KubernetesObject[],
  clusters: readonly GivenCluster[],
  isRelease: boolean,
): readonly Issue[] {
  return clusters.flatMap(({ cluster: { object, controlPlaneVersion: version } }): readonly Issue[] => {
    const explanation = explainHostedImage(image, objects, { isRelease, release: parseRelease(version) });
    if ("problem" in explanation || explanation.operatorReference === undefined) return [];
    const reference = explanation.candidates.find(({ taken }) => taken)?.reference ?? null;
    return [
      fieldWarning(object, "", reference, {
        code: "SourceIgnoredByRelease",
        message: `Its control plane of version ${version} takes the image from ${reference ?? "no place"}`,
        remedy: "Add the name of the HostedCluster to see its candidates.",
      }),
    ];
  });
}
