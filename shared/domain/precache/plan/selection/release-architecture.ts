import { sentence } from "../../../credentials/redact.ts";
import { tryParseImageReference } from "../../../images/image-reference.ts";
import { fieldIssue, type Issue } from "../../../issues/issue.ts";
import { someOf } from "../../../json/values.ts";
import type { KubernetesObject } from "../../../kubernetes/object.ts";
import { architectureLabel } from "../../progress/reported-totals.ts";

/** The architectures of nodes, by the end of a release's tag. One for all architectures ends in `-multi`. */
const architectures = new Map([
  ["x86_64", "amd64"],
  ["amd64", "amd64"],
  ["aarch64", "arm64"],
  ["arm64", "arm64"],
  ["ppc64le", "ppc64le"],
  ["s390x", "s390x"],
]);

/** Returns a warning about clusters that cannot run a release, by the release's tag and the clusters' labels. */
export function architectureIssues(
  cgu: KubernetesObject,
  clusters: readonly KubernetesObject[],
  platformImage: string,
): readonly Issue[] {
  const tag = tryParseImageReference(platformImage)?.tag ?? "";
  const ofRelease = architectures.get(tag.slice(tag.lastIndexOf("-") + 1));
  if (ofRelease === undefined) return [];
  const others = clusters.filter(
    ({ metadata }) => (metadata.labels?.[architectureLabel] ?? ofRelease) !== ofRelease,
  );
  if (others.length === 0) return [];
  const names = others.map(
    ({ metadata }) => sentence`${metadata.name} (${metadata.labels?.[architectureLabel] ?? ""})`,
  );
  return [
    fieldIssue(cgu, "spec.managedPolicies", platformImage, {
      code: "NodesOfOtherArchitecture",
      severity: "warning",
      message: sentence`The release is for nodes of ${ofRelease}; these clusters have the label ${architectureLabel} of another architecture: ${someOf(names, 10)}.`,
      remedy: "Name the release of their architecture or the one of all, whose tag ends in -multi.",
    }),
  ];
}
