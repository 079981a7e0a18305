import { describe, expect, test } from "vitest";
import {
  aControlPlaneOperator,
  aHostedCluster,
  aHostedControlPlane,
  hypershiftFinalizer,
} from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  aGuest,
  annotated,
  anOperatorHub,
  aVerified,
  type Case,
  foundIn,
  isEvent,
  reportOf,
  stored,
  testSettling,
  withControlPlane,
} from "../../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import {
  guestVersion,
  pair,
  release,
  rightVersion,
  sources,
} from "../../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aDigestMirrorSet } from "../../../test/support/hub/objects.ts";
import { decide } from "../decide.ts";
import type { Snapshot } from "../observe.ts";

/** A verified hosted cluster with Deployments to which the operator passes its overrides; `args` are the operator's own. */
function withReaders(texts: Readonly<Record<string, string>>, args: readonly unknown[] = []): Snapshot {
  const operator = aControlPlaneOperator("shop", pair);
  const [container] = Object(operator.spec).template.spec.containers;
  const spec = { template: { spec: { containers: [{ ...container, args }] } } };
  return withControlPlane(aVerified(), {
    operator: stored({ ...operator, spec }),
    overridesReaders: Object.entries(texts).map(([name, text]) =>
      stored(aControlPlaneOperator("shop", text, name)),
    ),
  });
}

const cases: readonly Case[] = [
  {
    name: "When HyperShift has adopted the hosted cluster since the control plane was read, it should not write",
    snapshot: () => ({ ...aVerified(), mode: "own", findings: foundIn("registry.redhat.io/redhat") }),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
    ],
  },
  {
    name: "When HyperShift has written everything, it should only say so",
    snapshot: () => aVerified(),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
    ],
  },
  {
    name: "When HyperShift's operator is deployed, it should not write for a new hosted cluster",
    snapshot: () =>
      aVerified({ hostedCluster: stored(aHostedCluster()), hypershiftOperator: aControlPlaneOperator() }),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
    ],
  },
  {
    name: "When the ownership has changed since the control plane was read, it should not write",
    snapshot: () => ({ ...aVerified(), hostedCluster: stored(aHostedCluster()) }),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
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
    name: "When the operator has no overrides, it should wait for them",
    snapshot: () => withControlPlane(aVerified(), { operator: stored(aControlPlaneOperator()) }),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) waiting: no control-plane operator has overrides",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
    ],
  },
  {
    name: "When the operator has not passed the mirrors on, it should expect that of the operator",
    snapshot: () => withReaders({ "hosted-cluster-config-operator": pair, "ignition-server": "=" }),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      `shop Overrides (HyperShift's control-plane-operator) expected: HyperShift's control-plane-operator is expected to write: The Deployment ignition-server lacks the mirror ${pair}.`,
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
      `create Event Normal OverridesExpected: HyperShift's control-plane-operator is expected to write: The Deployment ignition-server lacks the mirror ${pair}.`,
      "requeue 2026-03-01T02:15:00.000Z",
    ],
  },
  {
    name: "When all three Deployments have the mirrors, those of --registry-overrides should not count as left over",
    snapshot: () =>
      withReaders(
        {
          "hosted-cluster-config-operator": `${pair},quay.io=n.example`,
          "ignition-server": `${pair},quay.io=n.example`,
        },
        ["--registry-overrides=quay.io=n.example,docker.io=n.example"],
      ),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
    ],
  },
  {
    name: "When a Deployment has a mirror that is neither the hub's nor replaced, it should say so",
    snapshot: () =>
      withReaders({ "hosted-cluster-config-operator": `${pair},quay.io=n.example` }, ["--x", 7]),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's control-plane-operator) expected: HyperShift's control-plane-operator is expected to write: The Deployment hosted-cluster-config-operator still has the mirror quay.io=n.example.",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
      "create Event Normal OverridesExpected: HyperShift's control-plane-operator is expected to write: The Deployment hosted-cluster-config-operator still has the mirror quay.io=n.example.",
      "requeue 2026-03-01T02:15:00.000Z",
    ],
  },
  {
    name: "When the guest is unreachable, it should say why",
    snapshot: () => aVerified({ guest: { state: "unreachable", message: "the API did not respond" } }),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest unknown: the API did not respond",
    ],
  },
  {
    name: "When fields and annotations are not copied, it should expect that of HyperShift",
    snapshot: () =>
      withControlPlane(
        aVerified({
          hostedCluster: stored(
            aHostedCluster("shop", {
              metadata: {
                finalizers: [hypershiftFinalizer],
                annotations: { "hypershift.openshift.io/redhat-marketplace-catalog-image": "m" },
              },
              spec: { imageContentSources: sources, capabilities: { disabled: ["Insights"] } },
            }),
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
    name: "When mirrors are missing and left over, it should name each, sorted",
    snapshot: () =>
      withControlPlane(aVerified(), {
        operator: stored(aControlPlaneOperator("shop", "quay.io=old.example,quay.io=an.example")),
      }),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) expected: HyperShift's operator is expected to write: The Deployment control-plane-operator lacks the mirror quay.io/openshift-release-dev/ocp-release=m.corp.example/ocp/release. The Deployment control-plane-operator still has the mirror quay.io=an.example. The Deployment control-plane-operator still has the mirror quay.io=old.example.",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
      "create Event Normal OverridesExpected: HyperShift's operator is expected to write: The Deployment control-plane-operator lacks the mirror quay.io/openshift-release-dev/ocp-release=m.corp.example/ocp/release. The Deployment control-plane-operator still has the mirror quay.io=an.example. The Deployment control-plane-operator still has the mirror quay.io=old.example.",
      "requeue 2026-03-01T02:15:00.000Z",
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
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest (HyperShift's hosted-cluster-config-operator) expected: HyperShift's hosted-cluster-config-operator is expected to write: The ImageDigestMirrorSet cluster does not match spec.imageContentSources. OperatorHub cluster does not follow spec.configuration.operatorhub.disableAllDefaultSources. ClusterVersion does not enable Build. ClusterVersion enables Ingress, which the HostedCluster does not request.",
      "create Event Normal GuestExpected: HyperShift's hosted-cluster-config-operator is expected to write: The ImageDigestMirrorSet cluster does not match spec.imageContentSources. OperatorHub cluster does not follow spec.configuration.operatorhub.disableAllDefaultSources. ClusterVersion does not enable Build. ClusterVersion enables Ingress, which the HostedCluster does not request.",
      "requeue 2026-03-01T02:05:00.000Z",
    ],
  },
  {
    name: "When the guest's catalogs are its own, it should expect nothing of OperatorHub",
    snapshot: () =>
      aVerified({
        hostedCluster: stored(
          aHostedCluster("shop", {
            metadata: { finalizers: [hypershiftFinalizer] },
            spec: { olmCatalogPlacement: "guest" },
          }),
        ),
        guest: aGuest({
          clusterVersion: rightVersion,
          operatorHub: anOperatorHub({ disableAllDefaultSources: true }),
        }),
      }),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
    ],
  },
  {
    name: "When it is paused, it should expect nothing until then",
    snapshot: () =>
      aVerified({
        hostedCluster: stored(
          aHostedCluster("shop", {
            metadata: { finalizers: [hypershiftFinalizer] },
            spec: { pausedUntil: "2026-03-02T00:00:00Z" },
          }),
        ),
      }),
    report: [
      "shop paused: HyperShift writes for it: its finalizer is present; spec.pausedUntil pauses it",
      "requeue 2026-03-02T00:00:00.000Z",
    ],
  },
  {
    name: "When it is paused indefinitely, it should expect nothing",
    snapshot: () =>
      aVerified({
        hostedCluster: stored(
          aHostedCluster("shop", {
            metadata: { finalizers: [hypershiftFinalizer] },
            spec: { pausedUntil: "True" },
          }),
        ),
      }),
    report: ["shop paused: HyperShift writes for it: its finalizer is present; spec.pausedUntil pauses it"],
  },
  {
    name: "When a take-over is requested while HyperShift reconciles, it should refuse it",
    snapshot: () =>
      aVerified({
        hostedCluster: stored(
          aHostedCluster("shop", {
            metadata: {
              finalizers: [hypershiftFinalizer],
              annotations: { "hubrelay.dev/take-over": "true" },
            },
          }),
        ),
      }),
    report: [
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
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
      "shop ControlPlane (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Overrides (HyperShift's operator) in agreement: HyperShift's operator has written what it should",
      "shop Guest (HyperShift's hosted-cluster-config-operator) in agreement: HyperShift's hosted-cluster-config-operator has written what it should",
      'create Event Warning TakeOverRefused: metadata.annotations["hubrelay.dev/take-over"]: HyperShift reconciles this hosted cluster (its operator is deployed) and would overwrite every take-over. Set spec.pausedUntil to "true" first, or remove the annotation and let hubrelay verify.',
      "outcome refused",
    ],
  },
];

describe("a hosted cluster for which HyperShift writes", () => {
  test.for(cases)("$name", ({ snapshot, report }) => {
    const plan = decide(snapshot());
    expect(reportOf(plan)).toEqual(report);
    expect(plan.actions.every(isEvent)).toBe(true);
  });

  testSettling(cases);
});

test("When the hub's mirrors should be kept from a control plane of HyperShift, it should be warned that they are not", () => {
  const hostedCluster = stored(
    aHostedCluster("shop", {
      metadata: {
        finalizers: [hypershiftFinalizer],
        annotations: { "hubrelay.dev/keep-hub-mirrors-from": "control-plane" },
      },
    }),
  );
  const { issues } = decide(aVerified({ hostedCluster }));
  expect(issues.map(({ code, severity }) => `${severity} ${code}`)).toEqual(["warning HubMirrorsPassedOn"]);
});
