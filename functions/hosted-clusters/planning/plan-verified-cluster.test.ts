import { expect, test } from "vitest";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import {
  aControlPlaneOperator,
  aHostedControlPlane,
  hypershiftFinalizer,
} from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  aGuest,
  annotated,
  anOperatorHub,
  aVerified,
  foundIn,
  stored,
  testVerified,
  withControlPlane,
} from "../../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import {
  guestVersion,
  release,
  rightVersion,
  sources,
} from "../../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aDigestMirrorSet } from "../../../test/support/hub/objects.ts";
import { decide } from "../decide.ts";

/** Nobody asked hubrelay to write. */
const verified = { "hubrelay.dev/take-over": "false" };

const inHub = ["ControlPlane", "Overrides"].map(
  (part) =>
    `shop ${part} (HyperShift's operator) in agreement: HyperShift's operator has written what it should`,
);
const agreed = [
  ...inHub,
  "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
];
/** What HyperShift reconciles, with these annotations and fields. */
const ofHyperShift = (
  spec: Readonly<Record<string, unknown>> = {},
  annotations: Readonly<Record<string, string>> = {},
) => stored(aHostedCluster({ metadata: { finalizers: [hypershiftFinalizer], annotations }, spec }));

testVerified("a hosted cluster for which HyperShift writes", [
  {
    name: "When HyperShift has adopted the hosted cluster since the control plane was read, it should not write",
    snapshot: () => ({ ...aVerified(), mode: "own", findings: foundIn("registry.redhat.io/redhat") }),
    report: agreed,
  },
  {
    name: "When HyperShift has written everything, it should only say so",
    snapshot: () => aVerified(),
    report: agreed,
  },
  {
    name: "When HyperShift's operator is deployed, it should not write for a new hosted cluster",
    snapshot: () =>
      aVerified({
        hostedCluster: stored(aHostedCluster({ metadata: { annotations: verified } })),
        hypershiftOperator: aControlPlaneOperator(),
      }),
    report: agreed,
  },
  {
    name: "When nobody writes and hubrelay was not asked to, it should say how to ask",
    snapshot: () =>
      aVerified({ hostedCluster: stored(aHostedCluster({ metadata: { annotations: verified } })) }),
    report: [
      "shop waiting: hubrelay only verifies: no other writer was found (to have hubrelay write, run: kubectl annotate hostedcluster shop -n clusters hubrelay.dev/take-over=true).",
      ...agreed,
      "create Event Normal NotHandedOver: hubrelay only verifies: no other writer was found (to have hubrelay write, run: kubectl annotate hostedcluster shop -n clusters hubrelay.dev/take-over=true).",
    ],
  },
  {
    name: "When the control plane is not there yet, it should wait for it",
    snapshot: () =>
      withControlPlane(aVerified({ guest: { state: "unpublished" } }), {
        hostedControlPlane: undefined,
        operator: undefined,
      }),
    report: [
      "shop ControlPlane (HyperShift's operator) waiting: the HostedControlPlane does not exist",
      "shop Overrides (HyperShift's operator) waiting: no control-plane operator has overrides",
      "shop Guest waiting: no kubeconfig is published",
    ],
  },
  {
    name: "When the guest is unreachable, it should say why",
    snapshot: () => aVerified({ guest: { state: "unreachable", message: "the API did not respond" } }),
    report: [...inHub, "shop Guest unknown: the API did not respond"],
  },
  {
    name: "When fields and annotations are not copied, it should expect that of HyperShift",
    snapshot: () =>
      withControlPlane(
        aVerified({
          hostedCluster: ofHyperShift(
            { imageContentSources: sources, capabilities: { disabled: ["Insights"] } },
            { "hypershift.openshift.io/redhat-marketplace-catalog-image": "m" },
          ),
        }),
        { hostedControlPlane: stored(aHostedControlPlane()) },
      ),
    report: [
      "shop ControlPlane (HyperShift's operator) expected: HyperShift's operator is expected to write: The annotation hypershift.openshift.io/redhat-marketplace-catalog-image differs in the HostedControlPlane. spec.imageContentSources differs in the HostedControlPlane. spec.capabilities differs in the HostedControlPlane.",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest (HyperShift's hosted-cluster-config-operator) expected: HyperShift's hosted-cluster-config-operator is expected to write: The ImageDigestMirrorSet cluster does not match spec.imageContentSources.",
      "create Event Normal GuestExpected: HyperShift's hosted-cluster-config-operator is expected to write: The ImageDigestMirrorSet cluster does not match spec.imageContentSources.",
      'create Event Warning CatalogNotByDigest: metadata.annotations["hypershift.openshift.io/redhat-marketplace-catalog-image"]: images for OLM catalogs should be referenced only by digest. Write the image with @sha256: and its digest.',
      "create Event Normal ControlPlaneExpected: HyperShift's operator is expected to write: The annotation hypershift.openshift.io/redhat-marketplace-catalog-image differs in the HostedControlPlane. spec.imageContentSources differs in the HostedControlPlane. spec.capabilities differs in the HostedControlPlane.",
      "outcome refused",
      "requeue 2026-03-01T02:01:30.000Z",
    ],
  },
  {
    name: "When the guest differs, it should name every difference",
    snapshot: () =>
      aVerified({
        guest: aGuest({
          clusterVersion: {
            ...guestVersion,
            spec: {
              capabilities: {
                baselineCapabilitySet: "None",
                additionalEnabledCapabilities: ["Console", "Ingress"],
              },
            },
          },
          digestMirrorSet: aDigestMirrorSet("cluster", [release]),
          operatorHub: anOperatorHub({ disableAllDefaultSources: true }),
        }),
      }),
    report: [
      ...inHub,
      "shop Guest (HyperShift's hosted-cluster-config-operator) expected: HyperShift's hosted-cluster-config-operator is expected to write: The ImageDigestMirrorSet cluster does not match spec.imageContentSources. OperatorHub cluster does not follow spec.configuration.operatorhub.disableAllDefaultSources. ClusterVersion does not enable Build. ClusterVersion enables Ingress, which the HostedCluster does not request.",
      "create Event Normal GuestExpected: HyperShift's hosted-cluster-config-operator is expected to write: The ImageDigestMirrorSet cluster does not match spec.imageContentSources. OperatorHub cluster does not follow spec.configuration.operatorhub.disableAllDefaultSources. ClusterVersion does not enable Build. ClusterVersion enables Ingress, which the HostedCluster does not request.",
      "requeue 2026-03-01T02:05:00.000Z",
    ],
  },
  {
    name: "When the guest's catalogs are its own, it should expect nothing of OperatorHub",
    snapshot: () =>
      aVerified({
        hostedCluster: ofHyperShift({ olmCatalogPlacement: "guest" }),
        guest: aGuest({
          clusterVersion: rightVersion,
          operatorHub: anOperatorHub({ disableAllDefaultSources: true }),
        }),
      }),
    report: agreed,
  },
  {
    name: "When it is paused, it should expect nothing until then",
    snapshot: () => aVerified({ hostedCluster: ofHyperShift({ pausedUntil: "2026-03-02T00:00:00Z" }) }),
    report: [
      "shop paused: HyperShift writes for it: its finalizer is present; spec.pausedUntil pauses it",
      "requeue 2026-03-02T00:00:00.000Z",
    ],
  },
  {
    name: "When it is paused indefinitely, it should expect nothing",
    snapshot: () => aVerified({ hostedCluster: ofHyperShift({ pausedUntil: "True" }) }),
    report: ["shop paused: HyperShift writes for it: its finalizer is present; spec.pausedUntil pauses it"],
  },
  {
    name: "When a take-over is requested while HyperShift reconciles, it should refuse it",
    snapshot: () => aVerified({ hostedCluster: ofHyperShift({}, { "hubrelay.dev/take-over": "true" }) }),
    report: [
      ...agreed,
      'create Event Warning TakeOverRefused: metadata.annotations["hubrelay.dev/take-over"]: HyperShift reconciles this hosted cluster (its finalizer is present) and would overwrite every take-over. Set spec.pausedUntil to "true" first, or remove the annotation and let hubrelay verify.',
      "outcome refused",
    ],
  },
  {
    name: "When a take-over is requested while the operator is deployed, it should refuse it",
    snapshot: () =>
      aVerified({
        hostedCluster: annotated({ "hubrelay.dev/take-over": "true" }),
        hypershiftOperator: aControlPlaneOperator(),
      }),
    report: [
      ...agreed,
      'create Event Warning TakeOverRefused: metadata.annotations["hubrelay.dev/take-over"]: HyperShift reconciles this hosted cluster (its operator is deployed) and would overwrite every take-over. Set spec.pausedUntil to "true" first, or remove the annotation and let hubrelay verify.',
      "outcome refused",
    ],
  },
]);

test("When HyperShift's cluster has values that its nodes refuse, an Event should say so", () => {
  const hostedCluster = ofHyperShift({
    imageContentSources: [{ source: "quay.io/acme", mirrors: ["https://mirror.lab/acme"] }],
    controlPlaneRelease: { image: "$imageUrl" },
  });
  const { issues } = decide(aVerified({ hostedCluster }));
  expect(issues.map(({ object, severity, path }) => `${severity} ${object.kind} ${path}`)).toEqual([
    "error HostedCluster spec.imageContentSources[0].mirrors[0]",
    "error HostedCluster spec.controlPlaneRelease.image",
  ]);
});
