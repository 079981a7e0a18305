import type { Profile } from "./values/precaching-values.ts";

/** Settings of the deployment for pre-cache plans. */
export type PlanningSettings = Readonly<{
  profile: Profile;
  /** The hub's OpenShift version, instead of the one in its ClusterVersion. */
  hubVersion: string | undefined;
  /** The workload image on managed clusters; undefined for hubrelay's default. */
  workloadImage: string | undefined;
}>;
