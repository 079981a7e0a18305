import { fieldWarning, type Issue } from "../../issues/issue.ts";
import { fieldsOf, textOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import {
  architectureInTag,
  parseRelease,
  type Release,
  releaseText,
} from "../../openshift/releases/release.ts";
import { sentence } from "../../text/redact.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { unreadableRelease } from "../cluster/release-images.ts";
import type { NodePool, ReadNodePool } from "./node-pool.ts";
import { readPoolConfig } from "./pool-config.ts";

/*
 * Source: ValidateVersionSkew of openshift/hypershift, support/supportedversion/version.go: release-4.21, line 304;
 * release-4.23, line 442. Up to release-4.22, HyperShift refuses pools of another major version; such pools are always
 * newer than their control plane. Since 4.21, HyperShift reports unsupported pools in the condition
 * SupportedVersionSkew; older releases have the same limit.
 */

/** The number of minor releases by which a pool may be older than its control plane. */
const maxOlder = 3;
/** The last minor release of OpenShift 4. 4.23 and 5.0 count as the same minor release. */
const lastOf4 = 23;

const minorOf = ({ major, minor }: Release): number => (major >= 5 ? lastOf4 : 0) + minor;

const byNumbers = new Intl.Collator("en", { numeric: true }).compare;

const patchOf = (version: string) => version.replace(/^\d+\.\d+\.?/, "").split("-");

/**
 * Reports whether the version `one` is newer than `other`, which has the same minor release. A release candidate is
 * older than its release.
 */
function isNewerPatch(one: string, other: string): boolean {
  const [[own = "", ...candidate], [its = "", ...theirs]] = [patchOf(one), patchOf(other)];
  const order =
    byNumbers(own, its) ||
    Number(theirs.length > 0) - Number(candidate.length > 0) ||
    byNumbers(candidate.join("-"), theirs.join("-"));
  return order > 0;
}

/** Returns message and remedy if a control plane does not support a node pool of this version; otherwise undefined. */
export function skewProblem(
  controlPlane: string,
  pool: string,
): Readonly<{ message: string; remedy: string }> | undefined {
  const [own, its] = [parseRelease(controlPlane), parseRelease(pool)];
  if (!own || !its) return undefined;
  const older = minorOf(own) - minorOf(its);
  if (older < 0 || (older === 0 && isNewerPatch(pool, controlPlane)))
    return {
      message: sentence`The pool's version ${pool} is newer than ${controlPlane}, that of its control plane`,
      remedy: "Upgrade the control plane first.",
    };
  if (older <= maxOlder) return undefined;
  const oldest = minorOf(own) - maxOlder;
  const text = releaseText(
    oldest >= lastOf4 && own.major >= 5 ? { major: 5, minor: oldest - lastOf4 } : { major: 4, minor: oldest },
  );
  return {
    message: sentence`The pool's version ${pool} is too old for ${controlPlane}, that of its control plane, which supports pools from ${text} on`,
    remedy: sentence`Upgrade the pool to ${text} or newer.`,
  };
}

const field = "spec.release.image";

function skewIssues({ controlPlaneVersion }: HostedCluster, pool: NodePool): readonly Issue[] {
  const { version, releaseImage } = pool;
  if (controlPlaneVersion === undefined || version === null) return [];
  const problem = skewProblem(controlPlaneVersion, version);
  if (!problem) return [];
  return [
    fieldWarning(pool.object, field, releaseImage, {
      code: "UnsupportedSkew",
      message: problem.message,
      remedy: problem.remedy,
    }),
  ];
}

/**
 * Returns the architecture of `image` if it is the HostedCluster's own release image. HyperShift reports the
 * architecture of no other image.
 */
function payloadArchitecture({ object, releaseImage }: HostedCluster, image: string): string | undefined {
  if (image !== releaseImage) return undefined;
  return textOf(fieldsOf(object.status).payloadArch)?.toLowerCase();
}

function architectureIssues(cluster: HostedCluster, pool: NodePool): readonly Issue[] {
  const { arch, releaseImage } = pool;
  const found = architectureInTag(releaseImage) ?? payloadArchitecture(cluster, releaseImage);
  if (found === undefined || found === "multi" || found === arch) return [];
  return [
    fieldWarning(pool.object, "spec.arch", arch, {
      code: "ArchitectureNotInRelease",
      message: sentence`The release ${releaseImage} is for ${found}, and the pool's nodes are ${arch}: they cannot run it`,
      remedy: sentence`Name a release for ${arch}, or one with the suffix -multi.`,
    }),
  ];
}

/** Returns an issue if no node could pull the release image of a NodePool. */
export const nodePoolReleaseIssues = ({ object, releaseImage }: NodePool): readonly Issue[] =>
  unreadableRelease(object, field, releaseImage);

/** Returns the issues of a NodePool's release, architecture and ConfigMaps, and of fields of the wrong type. */
export function nodePoolIssues(
  cluster: HostedCluster,
  { pool, issues }: ReadNodePool,
  configMaps: ReadonlyMap<string, KubernetesObject>,
): readonly Issue[] {
  return [
    ...issues,
    ...nodePoolReleaseIssues(pool),
    ...skewIssues(cluster, pool),
    ...architectureIssues(cluster, pool),
    ...readPoolConfig(pool, configMaps).issues,
  ];
}
