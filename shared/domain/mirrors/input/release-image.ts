import { type ImageReference, tryParseImageReference } from "../../images/image-reference.ts";
import type { Issue, Severity } from "../../issues/issue.ts";
import { isRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";

/**
 * The release payload to protect. `absent`: nobody says that there is one. `unreadable`: there is one, but what
 * was found is no full image reference, so nothing can be said about where nodes pull it from.
 */
export type ReleaseImage =
  | Readonly<{ state: "known"; payload: ImageReference }>
  | Readonly<{ state: "absent" }>
  | Readonly<{ state: "unreadable"; value: unknown }>;

/** The release image that a cluster should run: `status.desired.image` of ClusterVersion `version`. */
function desiredImage({ status }: KubernetesObject): unknown {
  const desired = isRecord(status) ? status.desired : undefined;
  return isRecord(desired) ? desired.image : undefined;
}

/** Finds the release payload: `releaseImage` if given, else what the ClusterVersion wants. */
export function findReleaseImage(
  clusterVersion: KubernetesObject | undefined,
  releaseImage: string | undefined,
): ReleaseImage {
  if (releaseImage === undefined && !clusterVersion) return { state: "absent" };
  const value = releaseImage ?? (clusterVersion && desiredImage(clusterVersion));
  const payload = typeof value === "string" ? tryParseImageReference(value) : undefined;
  return payload ? { state: "known", payload } : { state: "unreadable", value };
}

/** Tells that the release image cannot be read. */
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
