import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { anOwner } from "../hub/objects.ts";

const services = ["APIServer", "OAuthServer", "Konnectivity", "Ignition"].map((service) => ({
  service,
  servicePublishingStrategy: { type: "Route" },
}));

/** The spec of a HostedCluster with only the fields that an API server requires. */
export const validHostedClusterSpec: Readonly<Record<string, unknown>> = {
  release: { image: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi" },
  pullSecret: { name: "pull" },
  platform: { type: "None" },
  networking: { clusterNetwork: [{ cidr: "10.1.0.0/16" }], serviceNetwork: [{ cidr: "10.2.0.0/16" }] },
  etcd: { managementType: "Managed", managed: { storage: { type: "PersistentVolume" } } },
  services,
};

export const catalog = "hypershift.openshift.io/redhat-operators-catalog-image";
export const handedOver = { "hubrelay.dev/olm-catalogs": "from-mirrors" };

/** A HostedCluster that the API server accepts, with an annotation of another. */
export const aGuardedCluster = (
  name: string,
  annotations: Readonly<Record<string, string>>,
): KubernetesObject => ({
  ...aHostedCluster({ spec: validHostedClusterSpec }),
  metadata: { name, namespace: "default", annotations: { ...annotations, owner: "team-a" } },
});

export const annotated = (
  object: KubernetesObject,
  more: Readonly<Record<string, string>>,
): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...more } },
});
export const withSpec = (
  object: KubernetesObject,
  more: Readonly<Record<string, unknown>>,
): KubernetesObject => ({
  ...object,
  spec: { ...Object(object.spec), ...more },
});
export const sources = {
  imageContentSources: [{ source: "quay.io/acme", mirrors: ["mirror.example.com/acme"] }],
};

/** A HostedCluster that was handed over, and one that was not. */
type Clusters = Readonly<Record<"given" | "kept", KubernetesObject>>;

/** What the account of hosted-clusters must not write, and what the refusal says. */
export const hostileChanges: readonly Readonly<{
  name: string;
  change: (clusters: Clusters) => KubernetesObject;
  says: string;
}>[] = [
  {
    name: "When it changes the release, it should be refused",
    change: ({ given }) => withSpec(given, { release: { image: "quay.io/evil/release:1" } }),
    says: "may not write such a field",
  },
  {
    name: "When it pauses the cluster, it should be refused",
    change: ({ given }) => withSpec(given, { pausedUntil: "true" }),
    says: "may not write such a field",
  },
  {
    name: "When it writes the nodes' mirrors, it should be refused",
    change: ({ given }) => withSpec(given, sources),
    says: "may not write such a field",
  },
  {
    name: "When it writes a catalog that was not handed over, it should be refused",
    change: ({ kept }) => annotated(kept, { [catalog]: "evil.example.com/index@sha256:0" }),
    says: "about catalogs must be delegated",
  },
  {
    name: "When it hands objects over to itself, it should be refused",
    change: ({ kept }) => annotated(kept, handedOver),
    says: "may not write such a field",
  },
  {
    name: "When it changes a foreign annotation, it should be refused",
    change: ({ given }) => annotated(given, { owner: "me" }),
    says: "may not write such a field",
  },
  {
    name: "When it takes ownership of the cluster, it should be refused",
    change: ({ given }) => annotated(given, { "hubrelay.dev/take-over": "true" }),
    says: "may not write such a field",
  },
  {
    name: "When it adds a finalizer, it should be refused",
    change: ({ given }) => ({ ...given, metadata: { ...given.metadata, finalizers: ["example.com/held"] } }),
    says: "may not write such a field",
  },
  {
    name: "When it gives the cluster an owner that is missing, it should be refused",
    change: ({ given }) => ({ ...given, metadata: { ...given.metadata, ownerReferences: [anOwner] } }),
    says: "may not write such a field",
  },
];
