import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { changedAt, refused } from "../hub/hostile-objects.ts";
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

export const sources = {
  imageContentSources: [{ source: "quay.io/acme", mirrors: ["mirror.example.com/acme"] }],
};

const given = aGuardedCluster("given", handedOver);
const kept = aGuardedCluster("kept", {});
/** A HostedCluster that was handed over, with another value at a path. */
const changed = (path: string, value: unknown) => ({ before: given, after: changedAt(given, path, value) });
/** One that was not. */
const keptWith = (annotation: string, value: string) => ({
  before: kept,
  after: changedAt(kept, `metadata annotations ${annotation}`, value),
});

/** What the account of hosted-clusters must not write, by what the refusal says. */
export const hostileChanges = refused({
  "may not write such a field": {
    "it changes the release": changed("spec release", { image: "quay.io/evil/release:1" }),
    "it pauses the cluster": changed("spec pausedUntil", "true"),
    "it writes the nodes' mirrors": changed("spec imageContentSources", sources.imageContentSources),
    "it hands objects over to itself": keptWith("hubrelay.dev/olm-catalogs", "from-mirrors"),
    "it changes a foreign annotation": changed("metadata annotations owner", "me"),
    "it takes ownership of the cluster": changed("metadata annotations hubrelay.dev/take-over", "true"),
    "it adds a finalizer": changed("metadata finalizers", ["example.com/held"]),
    "it gives the cluster an owner that is missing": changed("metadata ownerReferences", [anOwner]),
  },
  "about catalogs must be delegated": {
    "it writes a catalog that was not handed over": keptWith(catalog, "evil.example.com/index@sha256:0"),
  },
});
