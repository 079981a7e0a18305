import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { settingsConfigMaps } from "#shared/domain/hosted-clusters/disabled-capabilities/settings.ts";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { takeOverAnnotation } from "#shared/domain/issues/annotations.ts";
import {
  type KubernetesObject,
  kinds,
  type ObjectMeta,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import { type ExternalPorts, noExternalPorts } from "#shared/ports/external-ports.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Queue } from "#shared/ports/queue.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { imageStreams } from "../hosted-clusters/hosted-cluster-hub.ts";
import { validHostedClusterSpec } from "../hosted-clusters/hostile-changes.ts";
import { asNew } from "../hub/create-object.ts";
import { aDigestMirrorSet, anObject } from "../hub/objects.ts";
import { mappedKeys } from "../messages/mapped-keys.ts";
import { quietPorts } from "../messages/quiet-ports.ts";
import { sendingQueue } from "../messages/sending-queue.ts";

/** A HostedCluster whose catalogs are handed over. */
const handedOver = (metadata: Pick<ObjectMeta, "name" | "namespace" | "finalizers">): KubernetesObject => {
  const annotations = { "hubrelay.dev/olm-catalogs": "from-mirrors" };
  const capabilities = { disabled: ["ImageRegistry", "NodeTuning"] };
  const spec = { ...validHostedClusterSpec, capabilities };
  return anObject(kinds.HostedCluster, { ...metadata, annotations }, { spec });
};

/** Calls `use` while the hub has a hosted cluster about which a tick has to read everything that it may. */
export async function withHandedOverCluster(
  person: Hub,
  namespace: string,
  use: () => Promise<unknown>,
): Promise<void> {
  const { apiVersion, kind } = await person.create(handedOver({ namespace, name: "ticked" }));
  await use();
  await person.delete({ apiVersion, kind, name: "ticked", namespace });
}

const queueNamed = (name: string): Queue => sendingQueue(name, async () => undefined);

/** Reconciles over a hub, as messages do. */
function follower(hub: Hub, external: ExternalPorts): (...keys: readonly string[]) => Promise<void> {
  const ports = { ...quietPorts(hub), queueNamed, external };
  return async (...keys) => {
    for (const key of keys) await reconcile(hostedClusters, key, ports);
  };
}

/** A registry that has every catalog. */
const withCatalogs: ExternalPorts = {
  ...noExternalPorts,
  registry: { ...noExternalPorts.registry, digest: async () => `sha256:${"a".repeat(64)}` },
};

async function changed(person: Hub, name: string, namespace: string): Promise<KubernetesObject> {
  const present = await person.get(kinds.HostedCluster, name, namespace);
  if (!present) throw new Error(`the HostedCluster ${name} of this tour is gone`);
  return present;
}

/**
 * Makes the hosted-clusters function send every request that it makes beside HyperShift: `person` changes the hub, and
 * the function follows over its own `hub`, with the permissions of its account. The hosted cluster is in `namespace`.
 */
export async function tourOfHostedClusters({
  person,
  hub,
  namespace,
}: Readonly<{ person: Hub; hub: Hub; namespace: string }>): Promise<void> {
  const follow = follower(hub, withCatalogs);
  const key = `${namespace}/tour`;
  const rule = (mirror: string) => ({
    imageDigestMirrors: ["registry.redhat.io/redhat", "quay.io/openshift-release-dev/ocp-release"].map(
      (source) => ({ source, mirrors: [mirror] }),
    ),
  });
  const mirrors = await person.create(
    anObject(kinds.ImageDigestMirrorSet, { name: "tour" }, { spec: rule("m1.example.com/olm") }),
  );
  await person.create(
    handedOver({ namespace, name: "tour", finalizers: ["hypershift.openshift.io/finalizer"] }),
  );
  await follow(key, key);

  const moved = await person.update({ ...mirrors, spec: rule("m2.example.com/olm") });
  for (const mapped of await mappedKeys(hostedClusters, referenceTo(moved), hub))
    await follow(mapped.name, mapped.name);

  const last = await changed(person, "tour", namespace);
  const { finalizers: _finalizers, ...metadata } = last.metadata;
  const { apiVersion, kind } = kinds.HostedCluster;
  await person.delete({ apiVersion, kind, name: "tour", namespace });
  if (await person.get(kinds.HostedCluster, "tour", namespace)) {
    const ending = await changed(person, "tour", namespace);
    await person.update({
      ...last,
      metadata: { ...metadata, resourceVersion: ending.metadata.resourceVersion ?? "" },
    });
  }
  await follow(key);
}

/** The same for what the function writes where it is the owner, all in two namespaces that must exist. */
export async function tourOfOwnHostedClusters({
  person,
  hub,
}: Readonly<{ person: Hub; hub: Hub }>): Promise<void> {
  const follow = follower(hub, withCatalogs);
  const key = "clusters/own";
  const namespace = "clusters-own";
  const images = Object.fromEntries(
    knownCatalogs.map(({ imageAnnotation, name }) => [
      imageAnnotation,
      `m.example.com/${name}@sha256:${"a".repeat(64)}`,
    ]),
  );
  const sources = [{ source: "quay.io/acme", mirrors: ["m.example.com/acme"] }];
  const spec = { ...validHostedClusterSpec, olmCatalogPlacement: "management" };
  const template = { spec: { containers: [{ name: "operator" }] } };
  const data = { "config.json": "{}", "config.yaml": "{}" };
  const release = {
    source: "quay.io/openshift-release-dev/ocp-release",
    mirrors: ["m.example.com/release"],
  };
  for (const object of [
    imageStreams,
    anObject(kinds.HostedControlPlane, { name: "own", namespace }, { spec: {} }),
    ...settingsConfigMaps.map((name) => anObject(kinds.ConfigMap, { name, namespace }, { data })),
    anObject(kinds.Deployment, { name: "control-plane-operator", namespace }, { spec: { template } }),
    asNew(aDigestMirrorSet("own", [release])),
    anObject(
      kinds.HostedCluster,
      { name: "own", namespace: "clusters", annotations: { [takeOverAnnotation]: "true" } },
      { spec: { ...spec, imageContentSources: sources } },
    ),
  ])
    await person.create(object);
  await follow(key);
  const first = await changed(person, "own", "clusters");
  await person.update({
    ...first,
    spec: {
      ...spec,
      release: { image: "quay.io/openshift-release-dev/ocp-release:4.19.9-multi" },
      imageContentSources: [{ source: "quay.io", mirrors: ["m.example.com"] }],
    },
  });
  await follow(key);
  const second = await changed(person, "own", "clusters");
  await person.update({
    ...second,
    metadata: { ...second.metadata, annotations: { ...second.metadata.annotations, ...images } },
    spec: { ...spec, imageContentSources: [] },
  });
  await follow(key);
}
