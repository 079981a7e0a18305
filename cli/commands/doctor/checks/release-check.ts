import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { hubVersionOf } from "#shared/domain/precache/plan/selection/cluster-facts.ts";
import { type Check, note, ok } from "./check.ts";

/** The OpenShift version of the hub: what clusters' versions are measured by. */
export function releaseCheck(clusterVersion: KubernetesObject | undefined): Check {
  const version = hubVersionOf(clusterVersion);
  return version === undefined
    ? note(
        "release",
        "No ClusterVersion tells the hub's OpenShift version.",
        "Set HUBRELAY_HUB_VERSION where the function precache-plan runs, else it cannot say which clusters are too old.",
      )
    : ok("release", `The hub is OpenShift ${version}.`);
}
