import type { Issue, Severity } from "../issue.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isRecord } from "./fields.ts";
import { type ImageReference, tryParseImageReference } from "./image-reference.ts";

/** The release payload to protect; undefined when there is none to protect, or it cannot be told which. */
export type ReleaseImage = Readonly<{ payload: ImageReference | undefined; isUnknown: boolean }>;

/** The release image that a cluster should run: `status.desired.image` of ClusterVersion `version`. */
function desiredImage({ status }: KubernetesObject): unknown {
  const desired = isRecord(status) ? status.desired : undefined;
  return isRecord(desired) ? desired.image : undefined;
}

/**
 * Finds the release payload: `releaseImage` if given, else what ClusterVersion wants. Without either there is
 * no payload to guard; one that is not a full image reference makes the guard impossible (`isUnknown`).
 */
export function findReleaseImage(
  clusterVersion: KubernetesObject | undefined,
  releaseImage: string | undefined,
): ReleaseImage {
  if (releaseImage === undefined && !clusterVersion) return { payload: undefined, isUnknown: false };
  const image = releaseImage ?? (clusterVersion ? desiredImage(clusterVersion) : undefined);
  const payload = typeof image === "string" ? tryParseImageReference(image) : undefined;
  return { payload, isUnknown: payload === undefined };
}

/** Tells that the release image cannot be read. */
export function unknownReleaseImage(
  clusterVersion: KubernetesObject | undefined,
  releaseImage: string | undefined,
  severity: Severity,
): Issue {
  const value = releaseImage ?? (clusterVersion ? desiredImage(clusterVersion) : undefined);
  return {
    code: "InvalidReleaseImage",
    severity,
    object: { kind: "ClusterVersion", name: clusterVersion?.metadata.name ?? "version" },
    path: "status.desired.image",
    value: value ?? null,
    message: "error parsing reference of release image",
    remedy: "The release image must be a full reference, host/path@digest: see why ClusterVersion has none.",
  };
}
