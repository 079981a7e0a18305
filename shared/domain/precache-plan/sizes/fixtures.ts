import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { aWaitingRecord } from "../../precache-model/fixtures.ts";
import type { ClusterAction, PrecachePlan } from "../../precache-model/precache-plan.ts";
import { emptySpec } from "../../precache-model/precaching-spec.ts";
import { sizesOf } from "./cluster-sizes.ts";

export const gib = 1024 ** 3;

/** Returns a plan for these clusters, with `spaceRequired` in GiB. */
export function aPlan(clusters: readonly string[], spaceRequired = "30", action: ClusterAction = "precache") {
  const plan: PrecachePlan = {
    namespace: "ztp",
    name: "upgrade",
    spec: { ...emptySpec, spaceRequired },
    conditions: [],
    clusters: clusters.map((name) => ({ name, action, reason: "" })),
    issues: [],
  };
  return plan;
}

export function aCluster(name: string, labels: Readonly<Record<string, string>> = {}): KubernetesObject {
  const apiVersion = "cluster.open-cluster-management.io/v1";
  return { apiVersion, kind: "ManagedCluster", metadata: { name, labels } };
}

/** Returns the record of a cluster that is pulling, with `fields` changed. */
export const aRecord = (fields: Partial<ClusterRecord>): ClusterRecord =>
  aWaitingRecord({ state: "Active", reason: "Pulling", ...fields });

/** Returns measured images with one layer for each of these sizes in bytes. */
export const images = (...sizes: readonly number[]) => ({
  layers: new Map(sizes.map((size, index) => [`sha256:${index}`, size])),
  catalogs: [],
  notCounted: [],
});

type Given = Partial<Parameters<typeof sizesOf>[0]> & { managedClusters: readonly KubernetesObject[] };

/** Returns the sizes of a plan for these clusters: 20 GiB in two layers, of which no cluster has any yet. */
export function sizes(given: Given) {
  return sizesOf({
    plan: aPlan(given.managedClusters.map(({ metadata }) => metadata.name)),
    siteLabel: "site",
    records: new Map(),
    measured: new Map([["amd64", images(12 * gib, 8 * gib)]]),
    ...given,
  });
}
