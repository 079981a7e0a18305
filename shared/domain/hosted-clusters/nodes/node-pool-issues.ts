import { sentence } from "../../credentials/redact.ts";
import { fieldIssue, type Issue } from "../../issues/issue.ts";
import { fieldsOf, textOf } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { architectureInTag } from "../../releases/release.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import type { NodePool, ReadNodePool } from "./node-pool.ts";
import { readPoolConfig } from "./pool-config.ts";
import { skewProblem } from "./version-skew.ts";

const field = "spec.release.image";

function skewIssues({ controlPlaneVersion }: HostedCluster, pool: NodePool): readonly Issue[] {
  const { version, releaseImage } = pool;
  if (controlPlaneVersion === undefined || version === null) return [];
  const problem = skewProblem(controlPlaneVersion, version);
  if (!problem) return [];
  return [
    fieldIssue(pool.object, field, releaseImage, {
      code: "UnsupportedSkew",
      severity: "warning",
      message: problem.message,
      remedy: problem.remedy,
    }),
  ];
}

/** What the release of the HostedCluster has, as HyperShift found it. */
function payloadArchitecture({ object, releaseImage }: HostedCluster, image: string): string | undefined {
  if (image !== releaseImage) return undefined;
  return textOf(fieldsOf(object.status).payloadArch)?.toLowerCase();
}

function architectureIssues(cluster: HostedCluster, pool: NodePool): readonly Issue[] {
  const { arch, releaseImage } = pool;
  const found = architectureInTag(releaseImage) ?? payloadArchitecture(cluster, releaseImage);
  if (found === undefined || found === "multi" || found === arch) return [];
  return [
    fieldIssue(pool.object, "spec.arch", arch, {
      code: "ArchitectureNotInRelease",
      severity: "warning",
      message: sentence`The release ${releaseImage} is for ${found}, and the pool's nodes are ${arch}: they cannot run it`,
      remedy: sentence`Name a release for ${arch}, or one with the suffix -multi.`,
    }),
  ];
}

/**
 * Returns the issues of a NodePool: a release that its cluster's control plane does not support or that lacks its
 * architecture, what HyperShift refuses in its ConfigMaps, and fields of the wrong type.
 */
export function nodePoolIssues(
  cluster: HostedCluster,
  { pool, issues }: ReadNodePool,
  configMaps: ReadonlyMap<string, KubernetesObject>,
): readonly Issue[] {
  return [
    ...issues,
    ...skewIssues(cluster, pool),
    ...architectureIssues(cluster, pool),
    ...readPoolConfig(pool, configMaps).issues,
  ];
}
