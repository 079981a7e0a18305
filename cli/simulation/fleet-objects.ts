import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { Fate } from "./fates.ts";

export const simulatedUpgrade = { namespace: "default", name: "simulated" } as const;

const image = (name: string) => `registry.hub.example.com:8443/acme/${name}@sha256:${"0c7e".repeat(16)}`;

const clustersPerSite = 20;

function managedCluster(name: string, index: number): KubernetesObject {
  const { apiVersion, kind } = kinds.ManagedCluster;
  const type = "ManagedClusterConditionAvailable";
  // The label `site` only groups clusters on the screen: no annotation of the upgrade names it.
  const site = `site-${String(Math.floor(index / clustersPerSite) + 1).padStart(3, "0")}`;
  return {
    apiVersion,
    kind,
    metadata: { name, labels: { name, site, vendor: "OpenShift", "openshiftVersion-major-minor": "4.20" } },
    spec: { hubAcceptsClient: true },
    status: {
      conditions: [{ type, status: "True", reason: "ManagedClusterAvailable", message: "" }],
      clusterClaims: [{ name: "controlplanetopology.openshift.io", value: "SingleReplica" }],
    },
  };
}

/** Returns the ManagedClusters of a simulated fleet, and a ClusterGroupUpgrade that pre-caches two images. */
export function fleetObjects(
  fates: readonly Fate[],
  { maxConcurrency, timeoutMinutes }: Readonly<{ maxConcurrency: number; timeoutMinutes: number }>,
): readonly KubernetesObject[] {
  const config: KubernetesObject = {
    apiVersion: kinds.PreCachingConfig.apiVersion,
    kind: kinds.PreCachingConfig.kind,
    metadata: simulatedUpgrade,
    spec: { spaceRequired: "45 GiB", additionalImages: [image("vran"), image("csi")] },
  };
  const upgrade: KubernetesObject = {
    apiVersion: kinds.ClusterGroupUpgrade.apiVersion,
    kind: kinds.ClusterGroupUpgrade.kind,
    // In Mbit/s, near the speed of simulated clusters. Without a bandwidth, there would be no forecast.
    metadata: { ...simulatedUpgrade, annotations: { "hubrelay.dev/bandwidth": "12000" } },
    spec: {
      clusters: fates.map(({ cluster }) => cluster),
      enable: false,
      preCaching: true,
      preCachingConfigRef: simulatedUpgrade,
      remediationStrategy: { maxConcurrency, timeout: timeoutMinutes },
    },
  };
  return [...fates.map(({ cluster }, index) => managedCluster(cluster, index)), config, upgrade];
}

/** Events and ManifestWorks are left out: they exist only for a short time. */
const keptKinds = [
  kinds.ManagedCluster,
  kinds.PreCachingConfig,
  kinds.ClusterGroupUpgrade,
  kinds.PreCachingReport,
];

/** Writes the objects of a simulated hub into a folder that commands can use as a hub. */
export async function keepHub(hub: HubReader, directory: string): Promise<void> {
  const items = (await Promise.all(keptKinds.map((kind) => hub.list(kind)))).flat();
  await writeFile(join(directory, "hub.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
}
