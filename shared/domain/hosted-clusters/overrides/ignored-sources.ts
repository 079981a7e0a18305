import { parseDockerReference } from "../../images/docker-reference.ts";
import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { parseRelease } from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { lookupFormOf, takesWiderSourcesSince } from "../facts/lookup-forms.ts";

/** Whether a source is a whole registry or namespace. */
function isWider(source: string): boolean {
  const parsed = parseDockerReference(source);
  return !("error" in parsed) && parsed.reference.namespace === "";
}

/** Warns about the sources of the management cluster whose mirrors the control plane's release does not take. */
export function ignoredSources(cluster: HostedCluster, sources: Iterable<string>): readonly Issue[] {
  const { controlPlaneVersion, controlPlaneReleaseImage } = cluster;
  if (lookupFormOf(parseRelease(controlPlaneVersion)).sources === "any") return [];
  const ignored = [...sources].filter(isWider);
  if (ignored.length === 0) return [];
  const field = controlPlaneReleaseImage ? "spec.controlPlaneRelease.image" : "spec.release.image";
  return [
    fieldWarning(cluster.object, field, ignored, {
      code: "SourceIgnoredByRelease",
      message: sentence`Its control plane of version ${controlPlaneVersion} takes only mirrors of single repositories, except for release images: those of ${ignored.join(", ")} are not used`,
      remedy: sentence`Write rules for the repositories, REGISTRY/NAMESPACE/NAME. HyperShift's operator takes wider sources from ${takesWiderSourcesSince} on, whatever the control plane's release.`,
    }),
  ];
}
