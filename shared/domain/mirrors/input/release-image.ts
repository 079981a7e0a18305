import { type ImageReference, tryParseImageReference } from "../../images/image-reference.ts";
import type { Issue, Severity } from "../../issues/issue.ts";
import { isRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/**
 * The release payload to protect. `absent`: the input names none. `unreadable`: the input names one, but not as a
 * full image reference, so its location is unknown.
 */
export type ReleaseImage =
  | Readonly<{ state: "known"; payload: ImageReference }>
  | Readonly<{ state: "absent" }>
  | Readonly<{ state: "unreadable"; value: unknown }>;

/** The release image that the ClusterVersion `version` requests. */
function desiredImage({ status }: KubernetesObject): unknown {
  const desired = isRecord(status) ? status.desired : undefined;
  return isRecord(desired) ? desired.image : undefined;
}

/** Returns the release payload: `releaseImage` if given, else the desired one of the ClusterVersion. */
export function findReleaseImage(
  clusterVersion: KubernetesObject | undefined,
  releaseImage: string | undefined,
): ReleaseImage {
  if (releaseImage === undefined && !clusterVersion) return { state: "absent" };
  const value = releaseImage ?? (clusterVersion && desiredImage(clusterVersion));
  const payload = typeof value === "string" ? tryParseImageReference(value) : undefined;
  return payload ? { state: "known", payload } : { state: "unreadable", value };
}

/** Returns the issue of an invalid release image. */
export function unreadableReleaseImage(value: unknown, severity: Severity): Issue {
  return {
    code: "InvalidReleaseImage",
    severity,
    object: { kind: "ClusterVersion", name: "version" },
    path: "status.desired.image",
    value: value ?? null,
    message: "error parsing reference of release image",
    remedy:
      "Find out why the release image is no full reference (host/path@digest); nodes could not pull it.",
  };
}
