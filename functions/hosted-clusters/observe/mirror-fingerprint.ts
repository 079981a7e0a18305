import { createHash } from "node:crypto";
import type { HostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { imagesOf } from "#shared/domain/hosted-clusters/cluster-images.ts";
import { overridesOf } from "#shared/domain/hosted-clusters/cluster-overrides.ts";
import type { ManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { eventName, type ObjectEvent } from "#shared/domain/plan/object-events.ts";
import { eventComponent } from "../event-source.ts";
import { releaseMemory, rememberedRepositories } from "./release-memory.ts";

const reason = "RegistryMirrors";

/** Where the Event about a hosted cluster's mirrors lies. */
export function mirrorFingerprintPlace({
  object,
}: HostedCluster): Readonly<{ namespace: string; name: string }> {
  const name = eventName({ regarding: object, type: "Normal", reason, message: "" }, eventComponent);
  return { namespace: object.metadata.namespace ?? "default", name };
}

/** What the Events about a hosted cluster remember of its releases. */
export function recallRepositories(
  cluster: HostedCluster,
  objectEvents: readonly KubernetesObject[],
): readonly string[] | undefined {
  const { name } = mirrorFingerprintPlace(cluster);
  return rememberedRepositories(
    cluster,
    objectEvents.find(({ metadata }) => metadata.name === name),
  );
}

/**
 * Tells which mirrors concern a hosted cluster, and is the memory of it: a mirror object that changes wakes those
 * hosted clusters alone whose message would be another. `repositories` are those of its releases where they have been
 * read; the Event remembers them for the other side of the comparison, which reads no registry.
 */
export function mirrorFingerprintEvent(
  cluster: HostedCluster,
  mirrors: ManagementMirrors,
  repositories: readonly string[] | undefined,
): ObjectEvent {
  const images = imagesOf(cluster, repositories);
  const { overrides, text, issues } = overridesOf(mirrors, images);
  const fingerprint = createHash("sha256")
    .update(
      JSON.stringify([text, issues.map(({ code, object, path, value }) => [code, object, path, value])]),
    )
    .digest("hex")
    .slice(0, 16);
  const count = overrides.size;
  const which = images.isComplete
    ? `${count} ${count === 1 ? "source" : "sources"} of the management cluster's mirrors ${count === 1 ? "concerns" : "concern"} this hosted cluster`
    : `Nobody knows where the images of this release are: all ${count} sources of the management cluster's mirrors may concern it`;
  return {
    regarding: cluster.object,
    type: "Normal",
    reason,
    message: `${which} (version ${fingerprint}).`,
    memory: releaseMemory(cluster, repositories),
  };
}
