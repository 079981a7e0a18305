import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  aGuest,
  aSettled,
  aSnapshot,
  cluster,
  type Fields,
  knownCapabilities,
  testOwned,
} from "../../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";

const upgrading = (image: string, spec: Fields = {}, from = "4.18.3"): KubernetesObject => ({
  ...cluster({ release: { image }, ...spec }),
  status: {
    version: {
      history: [
        { state: "Partial", version: "4.21.0" },
        { state: "Completed", version: from },
      ],
    },
  },
});

const guestWith = (clusterVersion: KubernetesObject) => ({ guest: aGuest({ clusterVersion }) });

testOwned("a hosted cluster that requests another release", [
  {
    name: "When it requests another release, it should report what becomes of the capabilities",
    snapshot: () =>
      aSnapshot({
        hostedCluster: upgrading("quay.io/openshift-release-dev/ocp-release:4.20.4-multi", {
          capabilities: { disabled: ["ImageRegistry", "Ingress"] },
        }),
        guest: { state: "unpublished" },
      }),
    report: [
      "shop Release upgrade: baremetal will stay on, because what is installed is not removed",
      "shop waiting: handed over by the annotation hubrelay.dev/take-over; its control plane publishes no kubeconfig",
      "create Event Warning CapabilityNotSupported: spec.capabilities.disabled[1]: Ingress can be disabled from OpenShift 4.20 on, and this cluster has 4.18.3. Expect parts of it to be present anyway, or create the cluster with a newer release.",
      "create Event Normal CapabilitiesOfRelease: From 4.18.3 to 4.20.4: baremetal will stay on, because what is installed is not removed.",
    ],
  },
  {
    name: "When the other release has new capabilities, it should name them, and those that stay on",
    snapshot: () =>
      aSettled({
        hostedCluster: upgrading(
          "quay.io/openshift-release-dev/ocp-release:4.20.4-multi",
          { capabilities: { disabled: ["ImageRegistry"] } },
          "4.13.0",
        ),
        ...guestWith(knownCapabilities("ImageRegistry")),
      }),
    report: [
      "shop Release upgrade: Build, CloudControllerManager, CloudCredential, DeploymentConfig, Ingress, MachineAPI, OperatorLifecycleManager, OperatorLifecycleManagerV1 will be on, new in this release; ImageRegistry will stay on, because what is installed is not removed",
      "shop update: handed over by the annotation hubrelay.dev/take-over: create ImageDigestMirrorSet cluster in the guest",
      "create Event Warning StaysEnabled: spec.capabilities.disabled: ImageRegistry stays on with 4.20.4: what 4.13.0 has installed is not removed. Only a cluster created with 4.20 or newer is without it.",
      "create Event Warning ControlPlaneImmutable: spec.capabilities: The HostedControlPlane has a different spec.capabilities, which is immutable. Recreate the HostedControlPlane with the spec.capabilities of its HostedCluster.",
      "create Event Warning CapabilityNotSupported: spec.capabilities.disabled[0]: ImageRegistry can be disabled from OpenShift 4.18 on, and this cluster has 4.13.0. Expect parts of it to be present anyway, or create the cluster with a newer release.",
      "create Event Normal CapabilitiesOfRelease: From 4.13.0 to 4.20.4: Build, CloudControllerManager, CloudCredential, DeploymentConfig, Ingress, MachineAPI, OperatorLifecycleManager, OperatorLifecycleManagerV1 will be on, new in this release; ImageRegistry will stay on, because what is installed is not removed.",
      "create ImageDigestMirrorSet cluster in clusters/shop: spec.imageContentSources of the HostedCluster",
      "outcome refused",
    ],
  },
  {
    name: "When it requests an older release, it should report that as well",
    snapshot: () =>
      aSnapshot({
        hostedCluster: upgrading("quay.io/openshift-release-dev/ocp-release:4.12.0-multi", {
          capabilities: { disabled: ["ImageRegistry"] },
        }),
        guest: { state: "unpublished" },
      }),
    report: [
      "shop Release downgrade: ImageRegistry will be installed, because this release always has them",
      "shop waiting: handed over by the annotation hubrelay.dev/take-over; its control plane publishes no kubeconfig",
      "create Event Normal CapabilitiesOfRelease: From 4.18.3 to 4.12.0: ImageRegistry will be installed, because this release always has them.",
      "create Event Warning BelowCapabilityRelease: spec.capabilities.disabled: ImageRegistry cannot be disabled in 4.12.0: there it is always installed. Stay at 4.18 or newer.",
    ],
  },
  {
    name: "When it has reached the release, it should report nothing about it",
    snapshot: () =>
      aSnapshot({
        hostedCluster: upgrading("quay.io/openshift-release-dev/ocp-release:4.18.3-multi"),
        guest: { state: "unpublished" },
      }),
    report: [
      "shop waiting: handed over by the annotation hubrelay.dev/take-over; its control plane publishes no kubeconfig",
    ],
  },
  {
    name: "When only a digest names the release, it should report nothing about it",
    snapshot: () =>
      aSnapshot({
        hostedCluster: upgrading(`quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`),
        guest: { state: "unpublished" },
      }),
    report: [
      "shop waiting: handed over by the annotation hubrelay.dev/take-over; its control plane publishes no kubeconfig",
    ],
  },
]);
