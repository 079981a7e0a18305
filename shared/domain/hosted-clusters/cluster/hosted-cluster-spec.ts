import { demanded, oneOf } from "../../issues/api-refusals.ts";
import { asWritten, type Field, flag, list, map, orNull, parsed, partial, text } from "../../issues/field.ts";
import { isStringList } from "../../kubernetes/json/values.ts";

/* Null counts as absent, because the API server drops it. The values of `asWritten` fields are not checked. */

const aText = orNull(text({}, "a string"));
const named = orNull(partial({ name: aText }));
const anObject = orNull(map(asWritten()));
const aList = orNull(list(asWritten()));

/** The field `spec.platform`. The names of the fields in it are checked, their values are not. */
export const platform = orNull(
  partial({
    type: aText,
    agent: anObject,
    aws: anObject,
    azure: anObject,
    gcp: anObject,
    ibmcloud: anObject,
    kubevirt: anObject,
    openstack: anObject,
    powervs: anObject,
  }),
);

/** The capabilities that a HostedCluster may name, in the order of the CRD. */
export const capabilityNames: readonly string[] = [
  "ImageRegistry",
  "openshift-samples",
  "Insights",
  "baremetal",
  "Console",
  "NodeTuning",
  "Ingress",
];
const someCapabilities = orNull(
  list(oneOf(capabilityNames, "See the allowed names and rules in docs/reference/hosted-clusters.md.")),
);

/** The field `mirrors`. If an item is not a string, the whole entry is left out: the item might be any mirror. */
const mirrors: Field<readonly string[] | undefined> = {
  definition: {},
  read: (value, path, refuse) =>
    value === undefined || value === null
      ? []
      : isStringList(value)
        ? value
        : refuse(path, value, "a list of strings"),
};

const imageContentSources = list(
  parsed(
    orNull(
      partial({
        source: demanded(text({}, "a string")),
        mirrors,
      }),
    ),
    (entry) => (entry.mirrors ? { source: entry.source ?? "", mirrors: entry.mirrors } : undefined),
  ),
  {},
  "a list of sources",
);

const placements = ["management", "guest"] as const;
const release = orNull(partial({ image: aText }));

/**
 * The fields of a HostedCluster's spec in all releases from 4.14 to 5.2. Source: hypershift, release branches and main
 * of 2026-08-22, api/hypershift/v1beta1/hostedcluster_types.go.
 */
export const hostedClusterSpec = partial({
  release,
  controlPlaneRelease: release,
  capabilities: orNull(
    // Values stay as written: HyperShift's operators also read lists with invalid names.
    parsed(
      partial({ enabled: someCapabilities, disabled: someCapabilities }),
      (_value, _path, _refuse, given) => given,
    ),
  ),
  imageContentSources: orNull(imageContentSources),
  olmCatalogPlacement: orNull(oneOf(placements, 'Write "management" or "guest", or leave it out.')),
  pausedUntil: aText,
  configuration: orNull(
    partial({
      operatorhub: orNull(partial({ disableAllDefaultSources: orNull(flag()), sources: aList })),
      apiServer: anObject,
      authentication: anObject,
      featureGate: anObject,
      image: anObject,
      ingress: anObject,
      network: anObject,
      oauth: anObject,
      proxy: anObject,
      scheduler: anObject,
    }),
  ),
  platform,
  additionalTrustBundle: named,
  auditWebhook: named,
  autoNode: anObject,
  autoscaling: anObject,
  channel: aText,
  clusterID: aText,
  controllerAvailabilityPolicy: aText,
  dns: anObject,
  etcd: anObject,
  fips: orNull(flag()),
  infraID: aText,
  infrastructureAvailabilityPolicy: aText,
  issuerURL: aText,
  kubeAPIServerDNSName: aText,
  labels: anObject,
  monitoring: anObject,
  networking: anObject,
  nodeSelector: anObject,
  operatorConfiguration: anObject,
  pullSecret: named,
  secretEncryption: anObject,
  serviceAccountSigningKey: named,
  services: aList,
  sshKey: named,
  tolerations: aList,
  updateService: aText,
});
