import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";

const release = "quay.io/openshift-release-dev/ocp-release";
const catalogOverrides = "hypershift.openshift.io/olm-catalogs-is-registry-overrides";

/** Returns the registry from which a hosted cluster gets its catalogs. */
export const catalogsOf = (index: number): string => `catalogs-${index}.example.com/olm`;

/** Returns HostedClusters of HyperShift with the same release. Each has a different registry for its catalogs. */
export function hostedFleet(clusters: number): readonly KubernetesObject[] {
  return Array.from({ length: clusters }, (_, index) => ({
    apiVersion: "hypershift.openshift.io/v1beta1",
    kind: "HostedCluster",
    metadata: {
      namespace: "clusters",
      name: `tenant-${index}`,
      uid: `tenant-${index}`,
      finalizers: ["hypershift.openshift.io/finalizer"],
      annotations: { [catalogOverrides]: `registry.redhat.io=${catalogsOf(index)}` },
    },
    spec: { release: { image: `${release}:4.20.4-multi` } },
  }));
}

/** Returns an ImageDigestMirrorSet with one rule for each source. */
export function mirrorSet(
  name: string,
  sources: readonly string[],
  mirror = "mirror.example.com",
): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: { name },
    spec: { imageDigestMirrors: sources.map((source) => ({ source, mirrors: [`${mirror}/x/y`] })) },
  };
}

/** Returns mirror objects for a fleet: for the release, for each cluster's catalogs, and for applications. */
export function fleetMirrors(clusters: number, applications: number): readonly KubernetesObject[] {
  return [
    mirrorSet("release", [release, "quay.io/openshift-release-dev/ocp-v4.0-art-dev"]),
    mirrorSet(
      "catalogs",
      Array.from({ length: clusters }, (_, index) => catalogsOf(index)),
    ),
    mirrorSet(
      "applications",
      Array.from({ length: applications }, (_, index) => `registry.example.com/team-${index}`),
    ),
  ];
}
