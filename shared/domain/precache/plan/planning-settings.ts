import type { Profile } from "./values/precaching-values.ts";

/** How plans of pre-caching are made where the hub does not tell it: the choices of a deployment. */
export type PlanningSettings = Readonly<{
  profile: Profile;
  /** The hub's OpenShift version, instead of what its ClusterVersion tells. */
  hubVersion: string | undefined;
  /** The image of the workload that pulls the others on managed clusters; undefined for hubrelay's default. */
  workloadImage: string | undefined;
}>;
