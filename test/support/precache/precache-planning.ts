import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { type PlanOptions, planInputsOf } from "#shared/domain/precache-plan/plan-input.ts";
import { planPrecache } from "#shared/domain/precache-plan/plan-precache.ts";
import { type GraphLookup, notQueried } from "#shared/domain/precache-plan/policies/update-graph.ts";
import {
  aCatalogSource,
  aManagedCluster,
  aPolicy,
  aSubscription,
  aWantedRelease,
  copiesOf,
  digestOf,
} from "./precache-plan-objects.ts";

/** The subject of the ClusterGroupUpgrades of planning, and what most of them have in common. */
export const ref = { preCachingConfigRef: { name: "config" } };
export const userImage = `quay.io/acme/app@${digestOf("1")}`;
export const clusters = [aManagedCluster("sno1"), aManagedCluster("sno2")];
export const platform = aPolicy("platform", [aWantedRelease()]);
export const index = "registry.example.com/redhat-operators:v4.20";
export const operators = aPolicy("operators", [
  aCatalogSource(index),
  aSubscription("ptp-operator", "stable"),
  aSubscription("sriov-network-operator", "stable"),
]);

type Given = Readonly<{
  objects: readonly KubernetesObject[];
  options?: PlanOptions;
  graph?: GraphLookup;
  hubVersion?: string;
}>;

/** Plans the first ClusterGroupUpgrade; the policies have their copies, as on a hub. */
export function plan({ objects, options = {}, graph = () => notQueried, hubVersion = "4.20.3" }: Given) {
  const policies = objects.filter(({ kind }) => kind === "Policy");
  const copies = policies.flatMap((policy) => copiesOf(policy, ["sno1", "sno2"]));
  const [input] = planInputsOf([...clusters, ...objects, ...copies], hubVersion);
  if (!input) throw new Error("no ClusterGroupUpgrade was given");
  return planPrecache({ ...input, lookup: graph }, options).plan;
}

/** Type, status, reason and message of the condition that `oc get` shows. */
export const lastOf = ({ conditions }: ReturnType<typeof plan>) => {
  const { type, status, reason, message } = conditions.at(-1) ?? {};
  return [type, status, reason, message];
};
/** Severity and code of each issue. */
export const codesOf = ({ issues }: ReturnType<typeof plan>) =>
  issues.map(({ code, severity }) => `${severity} ${code}`);
/** The action for each selected cluster, by name. */
export const actionsOf = ({ clusters: planned }: ReturnType<typeof plan>) =>
  Object.fromEntries(planned.map(({ name, action }) => [name, action]));
