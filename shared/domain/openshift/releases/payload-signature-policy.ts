import { fieldsOf, objectsOf, type UnknownRecord } from "../../kubernetes/json/values.ts";
import { isKind, isOfAnyVersion, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { clusterReleases, readVersionHistory } from "./cluster-releases.ts";
import { operatorForm } from "./machine-config-operator.ts";
import { compareReleases, parseRelease, type Release, versionInTag } from "./release.ts";

/*
 * The ClusterImagePolicy that is part of OpenShift's payload, by release. Source: openshift/cluster-update-keys,
 * manifests.rhel/0000_90_openshift-cluster-image-policy.yaml, on the branches release-4.17 (6302203333), release-4.18
 * (8caab452b9), release-4.19 (0ea36f0a4c), release-4.20 (c40e7b9b60), release-4.21 (b3cae8f22b), and release-4.22,
 * release-4.23, release-5.0 and release-5.1 (all 3b5c59cc64). release-4.16 has no such file. OKD's payload is built
 * from the folder `manifests`, which has no such file either.
 */

const keyDataOf = (body: string, end: string): string =>
  Buffer.from(["-----BEGIN PUBLIC KEY-----", body, "-----END PUBLIC KEY-----"].join("\n") + end).toString(
    "base64",
  );

/** The key of 4.17's policy. In that policy, the PEM body is one line, and the text ends with a line feed. */
const firstKey = keyDataOf(
  [
    "MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEA3C2eTgIAJ7hlox7CH+HpMjt1/mneaw2z9GtOMRiRhH2kOYjTZteK",
    "HKgYBGpebj4AqJVbuQibXe6JaQGAADGENez3NWlUzBo/EQA0irCFszvXUm16qaY0o39FimjlUZ/hmU5YcHxq34v98xlkQmEq",
    "zJ0GEI33mY1LmaD3vabgwYg0oysI95gUuNO5NgYPp8X4DhShJkrTIyt2KLHXYnA0Ls8BeloOYReNraflJDsshNUDXx02aAVR",
    "wdc1xIP0+E9Yi65dN3+9QyXD9Fz+s+L3cg8wl7YwvYoVv48gvIfLyIn2Thv6S96GEzmphk4cX0Hz+gRGhqjrj58ShRg9mz+k",
    "ruaGEnTg2KpVGH3wr8gOTuAY2kj2v5ahgekxWZE7Nok3b50J4JgayiJuR/dtraP1eL29E0nvjGl1zmQyF6Vg4gHUv0jKkrrv",
    "AD8sWMccAKM3msWSMnEZNNycM4HNShlcQxnqSYEItz0fcj7XjkJnp10NugiUZSKySW8w4GxShSkhdFo0rD9dTIQfBhy/udtP",
    "YI++eh+n7A5vQUxZNANfj9HQl/5gyElUzM2NzBvDzGzYR5WUdEDh9ICR8fQi1R15KYSHvNW7Ennp7YOgyvkhJGpENOBAwsZK",
    "1Ha2BYavL2M942sJHq9D5xK+g+3AO5yzzWcjiAC1e8EDOqEicMTwNK8CAwEAAQ==",
  ].join(""),
  "\n",
);

/** The key of the policies since 4.18: Red Hat's third release key. */
const releaseKey = keyDataOf(
  [
    "MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEA0ASyuH2TLWvBUqPHZ4Ip",
    "75g7EncBkgQHdJnjzxAW5KQTMh/siBoB/BoSrtiPMwnChbTCnQOIQeZuDiFnhuJ7",
    "M/D3b7JoX0m123NcCSn67mAdjBa6Bg6kukZgCP4ZUZeESajWX/EjylFcRFOXW57p",
    "RDCEN42J/jYlVqt+g9+Grker8Sz86H3l0tbqOdjbz/VxHYhwF0ctUMHsyVRDq2QP",
    "tqzNXlmlMhS/PoFr6R4u/7HCn/K+LegcO2fAFOb40KvKSKKVD6lewUZErhop1CgJ",
    "XjDtGmmO9dGMF71mf6HEfaKSdy+EE6iSF2A2Vv9QhBawMiq2kOzEiLg4nAdJT8wg",
    "ZrMAmPCqGIsXNGZ4/Q+YTwwlce3glqb5L9tfNozEdSR9N85DESfQLQEdY3CalwKM",
    "BT1OEhEX1wHRCU4drMOej6BNW0VtscGtHmCrs74jPezhwNT8ypkyS+T0zT4Tsy6f",
    "VXkJ8YSHyenSzMB2Op2bvsE3grY+s74WhG9UIA6DBxcTie15NSzKwfzaoNWODcLF",
    "p7BY8aaHE2MqFxYFX+IbjpkQRfaeQQsouDFdCkXEFVfPpbD2dk6FleaMTPuyxtIT",
    "gjVEtGQK2qGCFGiQHFd4hfV+eCA63Jro1z0zoBM5BbIIQ3+eVFwt3AlZp5UVwr6d",
    "secqki/yrmv3Y0dqZ9VOn3UCAwEAAQ==",
  ].join("\n"),
  "",
);

/** The keys that sign OpenShift's release images, the current key first. `keyData` is the PEM text as base64. */
export const payloadKeys = [
  { name: "openshift", keyData: releaseKey },
  { name: "openshift-4-17", keyData: firstKey },
] as const;

type PolicyOfRelease = Readonly<{
  since: Release;
  scopes: readonly string[];
  keyData: string;
  /** True if only clusters with the feature set TechPreviewNoUpgrade have the policy. */
  isPreview: boolean;
}>;

const releaseImages = "quay.io/openshift-release-dev/ocp-release";
const components = ["4.0", "5.0"].map((version) => `quay.io/openshift-release-dev/ocp-v${version}-art-dev`);

/** The payload's policies by release. The newest release comes first, because `policyIn` takes the first match. */
const policies: readonly PolicyOfRelease[] = [
  {
    since: { major: 4, minor: 22 },
    scopes: [releaseImages, ...components],
    keyData: releaseKey,
    isPreview: false,
  },
  { since: { major: 4, minor: 21 }, scopes: [releaseImages], keyData: releaseKey, isPreview: false },
  { since: { major: 4, minor: 18 }, scopes: [releaseImages], keyData: releaseKey, isPreview: true },
  { since: { major: 4, minor: 17 }, scopes: [releaseImages], keyData: firstKey, isPreview: true },
];

const policyIn = (release: Release): PolicyOfRelease | undefined =>
  policies.find(({ since }) => compareReleases(since, release) <= 0);

/**
 * Reports whether the payload of this release creates the policy only in clusters with the feature set
 * TechPreviewNoUpgrade.
 */
export const isPreviewIn = (release: Release): boolean => policyIn(release)?.isPreview === true;

const name = "openshift";

const isNamed = (object: KubernetesObject): boolean =>
  isOfAnyVersion(kinds.ClusterImagePolicy, object) && object.metadata.name === name;

/**
 * Reports whether an object is the ClusterImagePolicy that a payload creates. The Cluster Version Operator reverts
 * users' changes of this policy.
 */
export function isPayloadPolicy(object: KubernetesObject): boolean {
  const { rootOfTrust } = fieldsOf(fieldsOf(object.spec).policy);
  const { keyData } = fieldsOf(fieldsOf(rootOfTrust).publicKey);
  return isNamed(object) && policies.some((policy) => policy.keyData === keyData);
}

/** What is known about a cluster. `objects` should include its FeatureGate and Infrastructure. */
type Cluster = Readonly<{
  objects: readonly KubernetesObject[];
  clusterVersion?: KubernetesObject;
  releaseImage?: string;
  releaseVersion?: string;
}>;

/** Reports whether a version is one of OKD, such as `4.20.0-okd-scos.1` or `4.20.0-0.okd-2025-01-01-000000`. */
const isOkd = (version: string): boolean => /[-.]okd-/.test(version);

/**
 * Reports whether an object is the Infrastructure of a hosted cluster. Hosted clusters do not get the payload's policy.
 */
const isHosted = (object: KubernetesObject): boolean =>
  isKind(kinds.Infrastructure, object) && fieldsOf(object.status).controlPlaneTopology === "External";

const isPreviewCluster = (object: KubernetesObject): boolean =>
  isKind(kinds.FeatureGate, object) && fieldsOf(object.spec).featureSet === "TechPreviewNoUpgrade";

/** Reports whether an override in the ClusterVersion stops the Cluster Version Operator from managing the policy. */
const isUnmanaged = ({ kind, name: named, unmanaged }: UnknownRecord): boolean =>
  kind === kinds.ClusterImagePolicy.kind && named === name && unmanaged === true;

function policyOf(
  { objects, clusterVersion, releaseImage = "", releaseVersion = "" }: Cluster,
  release: Release,
): KubernetesObject | undefined {
  const found = policyIn(release);
  if (!found || (found.isPreview && !objects.some(isPreviewCluster)) || objects.some(isHosted))
    return undefined;
  const { completed = "", begun } = readVersionHistory(fieldsOf(clusterVersion?.status).history);
  if ([releaseVersion, versionInTag(releaseImage) ?? "", completed, ...begun].some(isOkd)) return undefined;
  if (objectsOf(fieldsOf(clusterVersion?.spec).overrides).some(isUnmanaged)) return undefined;
  const { scopes, keyData } = found;
  return {
    apiVersion: operatorForm(release).policyVersion,
    kind: kinds.ClusterImagePolicy.kind,
    metadata: { name },
    spec: { scopes, policy: { rootOfTrust: { policyType: "PublicKey", publicKey: { keyData } } } },
  };
}

/**
 * Returns the objects of a cluster, plus the ClusterImagePolicy that the payload of `release` (by default, of the
 * cluster's release) creates. Nothing is added if the objects already include a policy of that name, or if the
 * cluster's release is unknown.
 */
export function withPayloadPolicy(cluster: Cluster, release?: Release): readonly KubernetesObject[] {
  const { objects, clusterVersion, releaseVersion } = cluster;
  const { current, isAssumed } = clusterReleases(clusterVersion, releaseVersion);
  const policy = isAssumed || objects.some(isNamed) ? undefined : policyOf(cluster, release ?? current);
  return policy ? [...objects, policy] : objects;
}

/**
 * Returns the scopes and the key of the policy that the payload of this version creates in a cluster; undefined if the
 * payload creates no policy. Also undefined if the cluster has a policy of that name and already runs this release, or
 * if it has such a policy and its release is unknown.
 */
export function policySignedIn(
  version: string,
  cluster: Cluster,
): Pick<PolicyOfRelease, "scopes" | "keyData"> | undefined {
  const release = parseRelease(version);
  if (!release || isOkd(version)) return undefined;
  const { current, isAssumed } = clusterReleases(cluster.clusterVersion, cluster.releaseVersion);
  const stays = isAssumed || compareReleases(current, release) === 0;
  const isReplaced = stays && cluster.objects.some(isNamed);
  return isReplaced || !policyOf(cluster, release) ? undefined : policyIn(release);
}
