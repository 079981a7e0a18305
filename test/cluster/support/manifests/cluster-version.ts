import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";

const digest = "a".repeat(64);

/** The fields that the API requires of a status besides the release. */
const required = { observedGeneration: 1, versionHash: "hash", availableUpdates: null, history: [] };

/** Creates the cluster's ClusterVersion as its operator leaves it: the status contains the release. */
export async function createClusterVersion(
  hub: Hub,
  desired = { version: "4.20.3", image: `quay.io/openshift-release-dev/ocp-release@sha256:${digest}` },
): Promise<KubernetesObject> {
  const { apiVersion, kind } = kinds.ClusterVersion;
  const spec = { clusterID: "5f1c7a52-6d0e-4c7f-9b0a-6f6f7a1f2f10", channel: "stable-4.20" };
  const created = await hub.create({ apiVersion, kind, metadata: { name: "version" }, spec });
  return hub.updateStatus({ ...created, status: { ...required, desired } });
}
