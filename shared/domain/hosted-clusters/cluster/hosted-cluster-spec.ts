import { sentence } from "../../credentials/redact.ts";
import {
  asWritten,
  choice,
  type Field,
  flag,
  list,
  map,
  orNull,
  parsed,
  partial,
  required,
  text,
} from "../../fields/field.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import type { Problem } from "../../issues/issue.ts";
import { isStringList } from "../../json/values.ts";

/*
 * The API server drops a null, and sets the default of a field that has one. Where only the names of fields are checked,
 * an object or list is read as it is written.
 */

const aText = orNull(text({}, "a string"));
const named = orNull(partial({ name: aText }));
const anObject = orNull(map(asWritten()));
const aList = orNull(list(asWritten()));

/** The fields of `spec.platform`, of HostedClusters and NodePools. */
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

/** Returns the problem of a text that is none of the allowed ones, in the API server's words. */
function unsupported(allowed: readonly string[], remedy: string): (value: unknown) => Problem | string {
  const names = allowed.map(goQuote).join(", ");
  return (value) =>
    typeof value === "string"
      ? {
          code: "UnsupportedValue",
          message: sentence`Unsupported value: ${goQuote(value)}: supported values: ${names}`,
          remedy,
        }
      : sentence`one of ${names}`;
}

/** The capabilities that a HostedCluster may name, in the CRD's order. */
const capabilityNames = [
  "ImageRegistry",
  "openshift-samples",
  "Insights",
  "baremetal",
  "Console",
  "NodeTuning",
  "Ingress",
];
const someCapabilities = orNull(
  list(
    choice(
      capabilityNames,
      {},
      unsupported(capabilityNames, "See the allowed names and rules in docs/reference/hosted-clusters.md."),
    ),
  ),
);

/** One item that is no text may mean another mirror: the whole list is refused, and its entry is left out. */
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
        source: orNull(
          required(text({}, "a string"), {
            code: "MissingField",
            message: "Required value",
            remedy: "Write it.",
          }),
        ),
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
 * The fields of a HostedCluster's spec, of all releases from 4.14 to 5.2: hypershift, release branches and main of
 * 2026-08-22, api/hypershift/v1beta1/hostedcluster_types.go.
 */
export const hostedClusterSpec = partial({
  release,
  controlPlaneRelease: release,
  capabilities: orNull(
    // As written: the operators read a list with an invalid name, too.
    parsed(
      partial({ enabled: someCapabilities, disabled: someCapabilities }),
      (_value, _path, _refuse, given) => given,
    ),
  ),
  imageContentSources: orNull(imageContentSources),
  olmCatalogPlacement: orNull(
    choice(placements, {}, unsupported(placements, 'Write "management" or "guest", or leave it out.')),
  ),
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
