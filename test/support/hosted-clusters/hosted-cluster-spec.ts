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
