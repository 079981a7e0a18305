import { imageProblem } from "../images/image-name.ts";
import { fieldsOf, isRecord, isSameJson } from "../kubernetes/json/values.ts";
import { type KubernetesObject, withAnnotation } from "../kubernetes/object.ts";
import { type PrecachingSpec, readStoredSpec } from "./precaching-spec.ts";

const annotation = "hubrelay.dev/workload-image";

/** The message if no workload image is configured. The deployment then pre-caches nothing. */
export const noWorkloadImage =
  "HUBRELAY_WORKLOAD_IMAGE is not set, and no image of the pre-cache workload is published: hubrelay pre-caches nothing. Fix: build infra/precache-workload, push it to your registry, and set the variable to REGISTRY/REPOSITORY@sha256:DIGEST (docs/how-to/build-the-workload-image.md).";

/** Returns the workload image that planning recorded on a ClusterGroupUpgrade; empty without a valid image. */
export function workloadImageOf({ metadata }: KubernetesObject): string {
  const recorded = metadata.annotations?.[annotation] ?? "";
  return imageProblem(recorded) ? "" : recorded;
}

/** Returns the ClusterGroupUpgrade with this image recorded; the same object if the image is recorded already. */
export function withWorkloadImage(cgu: KubernetesObject, image: string): KubernetesObject {
  return workloadImageOf(cgu) === image ? cgu : withAnnotation(cgu, annotation, image);
}

export type WorkloadChoice = Readonly<{
  spec: PrecachingSpec;
  /** The image that a PreCachingConfig or the deprecated ConfigMap requests; empty if neither requests an image. */
  requested: string;
  ofDeployment: string;
}>;

function hasResults({ status }: KubernetesObject, spec: PrecachingSpec): boolean {
  const precaching = fieldsOf(status).precaching;
  if (!isRecord(precaching) || !isSameJson(readStoredSpec(precaching.spec), spec)) return false;
  return Object.values(fieldsOf(precaching.status)).includes("Succeeded");
}

/**
 * Returns the requested image; or else the recorded image, if a cluster has succeeded with this content; or else the
 * deployment's. A new image restarts all runs, and a new setting of the deployment must not do that.
 */
export function chosenWorkloadImage(
  cgu: KubernetesObject,
  { spec, requested, ofDeployment }: WorkloadChoice,
): string {
  if (requested !== "") return requested;
  return (hasResults(cgu, spec) && workloadImageOf(cgu)) || ofDeployment;
}

/**
 * Returns the image that a Job runs: the recorded image, or else the deployment's image. The profile `hardened` always
 * runs the deployment's image, because users can change the recorded image.
 */
export function runImage(
  recorded: string,
  { profile, workloadImage }: Readonly<{ profile: string; workloadImage: string }>,
): string {
  return profile === "hardened" || recorded === "" ? workloadImage : recorded;
}
