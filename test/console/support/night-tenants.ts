import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { encodeOverrides } from "#shared/domain/hosted-clusters/overrides/environment-text.ts";
import { overridesLikeHypershift } from "#shared/domain/hosted-clusters/overrides/hypershift-overrides.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  aControlPlaneOperator,
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
} from "../../support/hosted-clusters/hosted-cluster-hub.ts";
import { aNodePool } from "../../support/hosted-clusters/node-pools.ts";
import { aDigestMirrorSet } from "../../support/hub/objects.ts";
import { heldImage, heldRegistry, heldRelease } from "../../support/servers/held-registry.ts";

type Pool = Readonly<{ name: string; replicas: number; version: string; problem?: string }>;

export function nodePools(
  clusterName: string,
  version: string,
  pools: readonly Pool[],
): readonly KubernetesObject[] {
  return pools.map(({ name, replicas, version: running, problem }) => ({
    ...aNodePool(`${clusterName}-${name}`, {
      clusterName,
      replicas,
      arch: "amd64",
      platform: { type: "KubeVirt" },
      release: { image: `${releaseSource}:${version}-multi` },
    }),
    status: {
      version: running,
      replicas,
      conditions: [
        { type: "Ready", status: problem ? "False" : "True", ...(problem ? { message: problem } : {}) },
      ],
    },
  }));
}

const capabilities = { disabled: ["Console", "ImageRegistry", "Ingress", "NodeTuning"] };
export const guestVersion = {
  ...guestClusterVersion("Build"),
  spec: {
    channel: "stable-4.20",
    capabilities: { baselineCapabilitySet: "None", additionalEnabledCapabilities: ["Build"] },
  },
};

/** A hosted cluster beside HyperShift, with its node pools. */
export type Tenant = Readonly<{ cluster: KubernetesObject; pools: readonly Pool[] }>;

export function tenants(
  examples: readonly KubernetesObject[],
): Readonly<Record<"billing" | "analytics" | "payments", Tenant>> {
  const found = examples.find(({ kind }) => kind === "HostedCluster");
  if (!found) throw new Error("the examples have no hosted cluster");
  const spec = { ...Object(found.spec), capabilities };
  const tenant = (name: string) =>
    aHostedCluster({
      name,
      metadata: { finalizers: [hypershiftFinalizer] },
      spec: { ...spec, imageContentSources: [] },
    });
  return {
    billing: { cluster: { ...found, spec }, pools: [{ name: "workers", replicas: 6, version: "4.20.4" }] },
    analytics: {
      cluster: tenant("analytics"),
      pools: [
        { name: "compute", replicas: 12, version: "4.20.4" },
        { name: "gpu", replicas: 3, version: "4.19.11" },
      ],
    },
    payments: {
      cluster: tenant("payments"),
      pools: [
        { name: "blue", replicas: 4, version: "4.20.4" },
        {
          name: "green",
          replicas: 4,
          version: "4.20.4",
          problem: "1 of 4 nodes is not ready: payments-green-2",
        },
      ],
    },
  };
}

/** The control plane as HyperShift's operators write it; without the nodes' mirrors, which none of them has yet. */
export function controlPlane(
  { cluster }: Tenant,
  rules: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const overrides = encodeOverrides(overridesLikeHypershift(rules).overrides);
  const { name, annotations } = cluster.metadata;
  const readers = ["hosted-cluster-config-operator", "ignition-server"].map((reader) =>
    aControlPlaneOperator(name, overrides, reader),
  );
  return [...controlPlaneOf(cluster, { overrides, fields: { imageContentSources: [] } }), ...readers].map(
    (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { ...annotations, ...object.metadata.annotations } },
    }),
  );
}

export const hubRegistry = "registry.hub.example.com:8443";
const edgeRegistry = (site: string) => `registry.${site}.example.com:5000`;
export const releaseSource = "quay.io/openshift-release-dev/ocp-release";

/** A registry that has the release of the fleet, and lacks a part of the next one. */
export function mirrorRegistry() {
  const { registry, images } = heldRegistry();
  const releaseOf = (version: string, first: number, held: (index: number) => boolean) => {
    const parts = Array.from({ length: 24 }, (_, index) => heldImage({ content: `${first + index}` }));
    for (const [index, part] of parts.entries())
      if (held(index)) images.set(`${hubRegistry}/openshift/release:${version}-${index}`, part);
    const release = heldRelease(
      parts.map(({ digest }) => `quay.io/openshift-release-dev/ocp-v4.0-art-dev@${digest}`),
    );
    images.set(`${hubRegistry}/openshift/release-images:${version}`, release);
    return `${releaseSource}@${release.digest}`;
  };
  return {
    registry,
    present: releaseOf("4.20.3", 0, () => true),
    next: releaseOf("4.20.4", 100, (index) => index % 5 !== 1),
  };
}

export const edgeMirrors = aDigestMirrorSet("edge-release", [
  {
    source: releaseSource,
    mirrors: [edgeRegistry("bergen"), edgeRegistry("oslo")].map((host) => `${host}/openshift/release-images`),
  },
  {
    source: "registry.access.redhat.com/ubi9",
    mirrors: [edgeRegistry("oslo"), edgeRegistry("tromso")].map((host) => `${host}/cache/ubi9`),
  },
]);
