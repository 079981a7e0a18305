import { imageProblem } from "../images/image-name.ts";
import { fieldsOf, isRecord, isSameJson } from "../kubernetes/json/values.ts";
import { type KubernetesObject, withAnnotation } from "../kubernetes/object.ts";
import { type PrecachingSpec, readStoredSpec } from "./precaching-spec.ts";

/** The workload image that planning chose: part of the input of the runs. */
const annotation = "hubrelay.dev/workload-image";

/** Why a deployment without a workload image pre-caches nothing. */
export const noWorkloadImage =
  "HUBRELAY_WORKLOAD_IMAGE is not set, and no image of the pre-cache workload is published: hubrelay pre-caches nothing. Fix: build infra/precache-workload, push it to your registry, and set the variable to REGISTRY/REPOSITORY@sha256:DIGEST (docs/how-to/build-the-workload-image.md).";

/**
 * Returns the workload image of this CGU, as planning recorded it; empty before it is planned, and where someone has
 * replaced the record by what is no image: planning records it again then.
 */
export function workloadImageOf({ metadata }: KubernetesObject): string {
  const recorded = metadata.annotations?.[annotation] ?? "";
  return imageProblem(recorded) ? "" : recorded;
}

/** Returns the CGU with this image recorded; the same object when it is already recorded. */
export function withWorkloadImage(cgu: KubernetesObject, image: string): KubernetesObject {
  return workloadImageOf(cgu) === image ? cgu : withAnnotation(cgu, annotation, image);
}

export type WorkloadChoice = Readonly<{
  /** The content to pre-cache. */
  spec: PrecachingSpec;
  /** The image that a PreCachingConfig or the ConfigMap requests; empty when neither does. */
  requested: string;
  /** The image in the deployment's settings. */
  ofDeployment: string;
}>;

/** True when a cluster has already pulled the content of this spec. */
function hasResults({ status }: KubernetesObject, spec: PrecachingSpec): boolean {
  const precaching = fieldsOf(status).precaching;
  if (!isRecord(precaching) || !isSameJson(readStoredSpec(precaching.spec), spec)) return false;
  return Object.values(fieldsOf(precaching.status)).includes("Succeeded");
}

/**
 * Returns the workload image for a valid plan: the requested one, otherwise the deployment's. Another image restarts
 * all runs. A user may request that; a setting of the whole deployment must not do it to finished clusters, so once a
 * cluster has succeeded the setting applies from the next content on.
 */
export function chosenWorkloadImage(
  cgu: KubernetesObject,
  { spec, requested, ofDeployment }: WorkloadChoice,
): string {
  if (requested !== "") return requested;
  return (hasResults(cgu, spec) && workloadImageOf(cgu)) || ofDeployment;
}

/**
 * Returns the image that a Job runs on its cluster, privileged. It is the image that the ClusterGroupUpgrade records,
 * which everyone who may write the ClusterGroupUpgrade can change. In the profile hardened, and without a record, it is
 * the deployment's.
 */
export function runImage(
  recorded: string,
  { profile, workloadImage }: Readonly<{ profile: string; workloadImage: string }>,
): string {
  return profile === "hardened" || recorded === "" ? workloadImage : recorded;
}
