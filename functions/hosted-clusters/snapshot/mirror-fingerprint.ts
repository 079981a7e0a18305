import { hash } from "node:crypto";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { releasesOf } from "#shared/domain/hosted-clusters/cluster/release-images.ts";
import { imagesOf, overridesOf } from "#shared/domain/hosted-clusters/cluster-overrides.ts";
import type { HypershiftOverrides } from "#shared/domain/hosted-clusters/overrides/hub-overrides.ts";
import { type KubernetesObject, namespaceOf } from "#shared/domain/kubernetes/object.ts";
import { eventName, type ObjectEvent } from "#shared/domain/plan/object-events.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { releaseMemory, rememberedRepositories } from "#shared/registry/release-memory.ts";
import { eventComponent } from "../well-known-names.ts";

const reason = "RegistryMirrors";

/** Returns namespace and name of the Event about a hosted cluster's mirrors. */
export function mirrorFingerprintReference({
  object,
}: HostedCluster): Readonly<{ namespace: string; name: string }> {
  const name = eventName({ regarding: object, type: "Normal", reason, message: "" }, eventComponent);
  return { namespace: namespaceOf(object), name };
}

/** Returns the repositories that a hosted cluster's Event records; undefined if it records none. */
export function recallRepositories(
  cluster: HostedCluster,
  objectEvents: readonly KubernetesObject[],
): readonly string[] | undefined {
  const { name } = mirrorFingerprintReference(cluster);
  return rememberedRepositories(
    releasesOf(cluster),
    objectEvents.find(({ metadata }) => metadata.name === name),
  );
}

/**
 * Returns the Event about a hosted cluster's mirrors. A changed mirror object causes a reconcile only if the message
 * would change. The Event records the `repositories` of the releases, so that this comparison reads no registry.
 */
export function mirrorFingerprintEvent(
  cluster: HostedCluster,
  hubOverrides: HypershiftOverrides,
  repositories: readonly string[] | undefined,
): ObjectEvent {
  const images = imagesOf(cluster, repositories);
  const { overrides, text, issues } = overridesOf(hubOverrides, images);
  const fingerprint = hash(
    "sha256",
    JSON.stringify([text, issues.map(({ code, object, path, value }) => [code, object, path, value])]),
  ).slice(0, 16);
  const count = overrides.size;
  const which = images.isComplete
    ? `${count} ${count === 1 ? "source" : "sources"} of the management cluster's mirrors ${count === 1 ? "applies" : "apply"} to this hosted cluster`
    : `The location of this release's images is unknown: all ${count} sources of the management cluster's mirrors may apply to it`;
  return {
    regarding: cluster.object,
    type: "Normal",
    reason,
    message: sentence`${which} (version ${fingerprint}).`,
    memory: releaseMemory(releasesOf(cluster), repositories),
  };
}
