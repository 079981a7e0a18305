import { createHash } from "node:crypto";
import type { HostedCluster } from "#shared/domain/hosted-clusters/hosted-cluster.ts";
import { imagesOf } from "#shared/domain/hosted-clusters/overrides/cluster-images.ts";
import { overridesOf } from "#shared/domain/hosted-clusters/overrides/cluster-overrides.ts";
import type { ManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import type { Report } from "#shared/domain/kubernetes/report.ts";

/**
 * Tells which mirrors concern a hosted cluster, and is the memory of it: a mirror object that changes wakes those
 * hosted clusters alone whose message would be another. It says the same whatever is known of the release's images,
 * since the other side of the comparison reads no registry.
 */
export function concernReport(cluster: HostedCluster, mirrors: ManagementMirrors): Report {
  const images = imagesOf(cluster);
  const { overrides, text, issues } = overridesOf(mirrors, images);
  const fingerprint = createHash("sha256")
    .update(
      JSON.stringify([text, issues.map(({ code, object, path, value }) => [code, object, path, value])]),
    )
    .digest("hex")
    .slice(0, 16);
  const count = overrides.size;
  const which = images.isComplete
    ? `${count} ${count === 1 ? "source" : "sources"} of the management cluster's mirrors ${count === 1 ? "concerns" : "concern"} this hosted cluster`
    : `Nobody knows where the images of this release are: all ${count} sources of the management cluster's mirrors may concern it`;
  return {
    regarding: cluster.object,
    type: "Normal",
    reason: "RegistryMirrors",
    message: `${which} (version ${fingerprint}).`,
  };
}
