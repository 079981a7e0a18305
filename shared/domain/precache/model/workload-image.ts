import { isSameJson } from "../../json/same-json.ts";
import { isRecord } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { clusterStates } from "./cluster-state.ts";
import { type PrecachingSpec, readStoredSpec } from "./precaching-spec.ts";

/** The workload's image, where planning has chosen another than the default: what the runs are made from. */
const annotation = "hubrelay.dev/workload-image";
const defaultImage = "quay.io/hubrelay/precache-workload:0.1.0";

/** The image of the workload that pulls the others for this CGU, as planning has noted it. */
export function workloadImageOf({ metadata }: KubernetesObject): string {
  return metadata.annotations?.[annotation] || defaultImage;
}

/** The CGU with this image noted for its runs; the same object where it is noted already. */
export function withWorkloadImage(cgu: KubernetesObject, image: string): KubernetesObject {
  if (workloadImageOf(cgu) === image) return cgu;
  const { [annotation]: _present, ...others } = cgu.metadata.annotations ?? {};
  const annotations = image === defaultImage ? others : { ...others, [annotation]: image };
  return { ...cgu, metadata: { ...cgu.metadata, annotations } };
}

export type WorkloadChoice = Readonly<{
  /** What is to be pre-cached. */
  spec: PrecachingSpec;
  /** The image that a PreCachingConfig or the ConfigMap asks for; empty where none does. */
  asked: string;
  /** The deployment's own. */
  ofDeployment: string | undefined;
}>;

/** Some cluster has its images already, and they are those that are to be pre-cached. */
function hasResults({ status }: KubernetesObject, spec: PrecachingSpec): boolean {
  const precaching = isRecord(status) ? status.precaching : undefined;
  if (!isRecord(precaching) || !isSameJson(readStoredSpec(precaching.spec), spec)) return false;
  const states = isRecord(precaching.status) ? precaching.status : {};
  return Object.values(states).includes(clusterStates.Succeeded);
}

/**
 * The workload's image for a valid plan: the one that is asked for, else the deployment's, else hubrelay's default.
 * Another image begins anew everywhere. A person may ask for that; a setting of the whole deployment must not do it to
 * clusters that are done, so it counts from the next content on where one has succeeded.
 */
export function chosenWorkloadImage(
  cgu: KubernetesObject,
  { spec, asked, ofDeployment }: WorkloadChoice,
): string {
  if (asked !== "") return asked;
  return hasResults(cgu, spec) ? workloadImageOf(cgu) : (ofDeployment ?? defaultImage);
}
