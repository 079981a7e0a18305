import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { fieldsOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { isPayloadPolicy, policySignedIn, withPayloadPolicy } from "./payload-signature-policy.ts";

const configObject = (kind: string, name: string, parts: Partial<KubernetesObject>): KubernetesObject => ({
  apiVersion: "config.openshift.io/v1",
  kind,
  metadata: { name },
  ...parts,
});
const preview = configObject("FeatureGate", "cluster", { spec: { featureSet: "TechPreviewNoUpgrade" } });
const clusterVersion = (version: string, spec = {}) =>
  configObject("ClusterVersion", "version", {
    spec,
    status: { history: [{ state: "Completed", version }] },
  });

const publisher = "quay.io/openshift-release-dev";
const release = [`${publisher}/ocp-release`];
const all = [...release, `${publisher}/ocp-v4.0-art-dev`, `${publisher}/ocp-v5.0-art-dev`];
/** SHA-256 of `keyData` in the manifests of openshift/cluster-update-keys. */
const firstKey = "123006a273d40598c145c5f7ff7c5542d617c69b571eb6c083d6d77741b5975d";
const releaseKey = "c5df3d7dd620a6a31f07c5c46741c73b8741ee3683b800a05bdbdf27fcae8479";

test.for([
  { version: "4.16.30", objects: [preview], policy: undefined },
  { version: "4.17.3", objects: [preview], policy: ["v1alpha1", release, firstKey] },
  { version: "4.18.3", objects: [preview], policy: ["v1alpha1", release, releaseKey] },
  { version: "4.19.3", objects: [preview], policy: ["v1alpha1", release, releaseKey] },
  { version: "4.20.3", objects: [preview], policy: ["v1", release, releaseKey] },
  { version: "4.20.3", objects: [], policy: undefined },
  { version: "4.21.0-rc.1", objects: [], policy: ["v1", release, releaseKey] },
  { version: "4.22.6", objects: [], policy: ["v1", all, releaseKey] },
  { version: "4.23.0", objects: [], policy: ["v1", all, releaseKey] },
  { version: "5.1.0-0.nightly-2026-11-01-010203", objects: [], policy: ["v1", all, releaseKey] },
])("When $version is run with $objects, its payload should add this policy: $policy", (row) => {
  const { version, objects, policy } = row;
  const [added] = withPayloadPolicy({ objects, clusterVersion: clusterVersion(version) }).slice(
    objects.length,
  );
  const { scopes, policy: verification } = fieldsOf(added?.spec);
  const { policyType, publicKey } = fieldsOf(fieldsOf(verification).rootOfTrust);
  const { keyData } = fieldsOf(publicKey);
  expect(added && [added.apiVersion.replace(/.*\//, ""), scopes, hash("sha256", String(keyData))]).toEqual(
    policy,
  );
  if (!added) return;
  expect({ name: added.metadata.name, policyType }).toEqual({ name: "openshift", policyType: "PublicKey" });
  expect(isPayloadPolicy(added)).toBe(true);
});

const hosted = configObject("Infrastructure", "cluster", { status: { controlPlaneTopology: "External" } });
const own = configObject("ClusterImagePolicy", "openshift", { spec: { scopes: ["own.example.com"] } });
const unmanaged = {
  overrides: [
    { group: "config.openshift.io", kind: "ClusterImagePolicy", name: "openshift", unmanaged: true },
  ],
};

test.for([
  { of: "has the policy already", cluster: { objects: [own], clusterVersion: clusterVersion("4.22.6") } },
  { of: "is OKD", cluster: { objects: [], clusterVersion: clusterVersion("4.22.0-okd-scos.3") } },
  {
    of: "is a nightly build of OKD",
    cluster: { objects: [], clusterVersion: clusterVersion("5.0.0-0.okd-scos-2026-11-01-010203") },
  },
  {
    of: "is OKD by its release image",
    cluster: {
      objects: [],
      releaseVersion: "4.22",
      releaseImage: "quay.io/okd/scos-release:4.22.0-okd-scos.3",
    },
  },
  { of: "is hosted", cluster: { objects: [hosted], clusterVersion: clusterVersion("4.22.6") } },
  {
    of: "leaves the policy to people",
    cluster: { objects: [], clusterVersion: clusterVersion("4.22.6", unmanaged) },
  },
  { of: "is of an unknown release", cluster: { objects: [] } },
])("When the cluster $of, nothing should be added", ({ cluster }) => {
  expect(withPayloadPolicy(cluster)).toBe(cluster.objects);
});

test.for([
  { now: "4.20.3", objects: [], to: "4.22.1", scopes: all },
  { now: "4.20.3", objects: [], to: "4.20.9", scopes: [] },
  { now: "4.20.3", objects: [], to: "4.22.0-okd-scos.3", scopes: [] },
  { now: "4.20.3", objects: [hosted], to: "4.22.1", scopes: [] },
  { now: "4.21.3", objects: [own], to: "4.22.1", scopes: all },
  { now: "4.22.3", objects: [own], to: "4.22.9", scopes: [] },
  { now: "4.20.3", objects: [], to: "latest", scopes: [] },
])("When a cluster with $now goes to $to, signatures should be needed in $scopes", (row) => {
  const { now, objects, to, scopes } = row;
  expect(policySignedIn(to, { objects, clusterVersion: clusterVersion(now) })?.scopes ?? []).toEqual(scopes);
});
