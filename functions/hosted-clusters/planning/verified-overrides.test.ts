import { aControlPlaneOperator } from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  aVerified,
  stored,
  testVerified,
  withControlPlane,
} from "../../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import { pair } from "../../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
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

testVerified("the overrides that HyperShift writes", [
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
]);
