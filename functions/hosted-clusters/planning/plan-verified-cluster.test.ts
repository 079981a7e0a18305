import { describe, expect, test } from "vitest";
import type { Plan } from "#shared/domain/plan/plan.ts";
import {
  aControlPlaneOperator,
  aHostedCluster,
  aHostedControlPlane,
  hypershiftFinalizer,
} from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  afterwards,
  aGuest,
  annotated,
  anOperatorHub,
  aSnapshot,
  type Case,
  foundIn,
  isEvent,
  now,
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
import { outcomesOf } from "../../../test/support/messages/outcomes-of.ts";
import { decide } from "../decide.ts";
import type { Snapshot } from "../observe.ts";

const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

/** A hosted cluster for which HyperShift writes, and has written everything. */
const aVerified = (changes: Partial<Snapshot> = {}): Snapshot => {
  const hostedCluster = stored(aHostedCluster("shop", { metadata: { finalizers: [hypershiftFinalizer] } }));
  const snapshot = aSnapshot({ hostedCluster, ...changes });
  return {
    ...snapshot,
    mode: "verify",
    controlPlane: {
      ...snapshot.controlPlane,
      operator: stored(aControlPlaneOperator("shop", pair)),
      ...changes.controlPlane,
    },
    guest: aGuest({ clusterVersion: rightVersion }),
    mirrorObjects: [aDigestMirrorSet("ocp", [release])],
    findings: { state: "not needed" },
    ...changes,
  };
};

/** The same with Deployments to which the operator passes its overrides; `args` are the operator's own. */
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

/** What a plan does with Events, besides recording in one what it was derived from. */
const reported = ({ actions }: Plan): readonly string[] =>
  actions
    .map(({ verb, object }) => `${verb} ${object.reason}`)
    .filter((action) => action !== "update RegistryMirrors");

describe("what HyperShift is expected to write", () => {
  test.for([
    {
      about: "ControlPlane",
      seconds: 90,
      snapshot: () =>
        withControlPlane(aVerified(), {
          hostedControlPlane: stored(aHostedControlPlane("shop", { imageContentSources: sources })),
        }),
      message:
        "HyperShift's operator has not written since 2026-03-01T02:00:00Z: spec.imageContentSources differs in the HostedControlPlane. Check the condition ReconciliationSucceeded and the operator's log.",
    },
    {
      about: "Overrides",
      seconds: 900,
      snapshot: () => withControlPlane(aVerified(), { operator: stored(aControlPlaneOperator("shop", "=")) }),
      message: `HyperShift's operator has not written since 2026-03-01T02:00:00Z: The Deployment control-plane-operator lacks the mirror ${pair}. It reads mirrors only when it reconciles a HostedCluster, within ten hours: any change to this one, such as an annotation, triggers that.`,
    },
    {
      about: "Guest",
      seconds: 300,
      snapshot: () => aVerified({ guest: aGuest({ clusterVersion: guestVersion }) }),
      message:
        "HyperShift's hosted-cluster-config-operator has not written since 2026-03-01T02:00:00Z: ClusterVersion does not enable Build, Console. Check its log in the namespace of the control plane.",
    },
  ])(
    "When $about is not written within $seconds s, it should be drift, reported once",
    ({ about, seconds, snapshot, message }) => {
      const first = snapshot();
      const hub = afterwards(first, decide(first));
      const waiting = decide({ ...hub, now: later(seconds - 1) });
      expect(waiting).toMatchObject({ actions: [], requeueAt: later(seconds) });
      const due = { ...hub, now: later(seconds) };
      const plan = decide(due);
      expect(reportOf(plan).filter((line) => line.includes("Event") || line.startsWith("outcome"))).toEqual([
        `create Event Warning ${about}Drift: ${message}`,
        "outcome drift",
      ]);
      const [decision] = plan.decisions.filter(({ subject }) => subject.endsWith(about));
      expect(decision).toMatchObject({ verdict: "drift", owner: expect.stringContaining("HyperShift's") });
      expect(decision?.differences).toHaveLength(1);
      expect(message).toContain(decision?.reason);
      expect(decide(first).decisions.find(({ subject }) => subject.endsWith(about))).toMatchObject({
        verdict: "expected",
        differences: decision?.differences,
      });
      expect(outcomesOf(plan)[0]?.data).toMatchObject({
        about,
        since: "2026-03-01T02:00:00.000Z",
        owner: decision?.owner,
        differences: decision?.differences,
        differenceCount: 1,
      });
      expect(plan.requeueAt).toBeUndefined();
      expect(reported(decide({ ...afterwards(due, plan), now: later(100_000) }))).toEqual([]);
      const fixed = { ...aVerified(), objectEvents: afterwards(due, plan).objectEvents, now: later(seconds) };
      expect(reported(decide(fixed)).toSorted()).toEqual([`delete ${about}Drift`, `delete ${about}Expected`]);
    },
  );

  test.for([
    ["no capabilities", { capabilities: {} }, { capabilities: undefined }],
    ["no placement", {}, { olmCatalogPlacement: undefined }],
    ["no sources", { imageContentSources: [] }, {}],
    [
      "no empty list",
      { capabilities: { enabled: [], disabled: ["Insights"] } },
      { capabilities: { disabled: ["Insights"] } },
    ],
    [
      "no empty list of mirrors",
      { imageContentSources: [{ source: "quay.io/acme", mirrors: [] }] },
      { imageContentSources: [{ source: "quay.io/acme" }] },
    ],
  ] as const)("When HyperShift has written %s, it should equal the default", ([, spec, copied]) => {
    const hostedCluster = stored(
      aHostedCluster("shop", { metadata: { finalizers: [hypershiftFinalizer] }, spec }),
    );
    const hub = withControlPlane(aVerified({ hostedCluster }), {
      hostedControlPlane: stored(aHostedControlPlane("shop", copied)),
    });
    expect(decide(hub).decisions[0]).toMatchObject({
      subject: "clusters/shop ControlPlane",
      verdict: "in agreement",
    });
  });

  test.for([
    ["capabilities", { disabled: ["Console"] }, { disabled: ["Insights"] }],
    [
      "imageContentSources",
      [{ source: "quay.io/acme", mirrors: ["a.example"] }],
      [{ source: "quay.io/acme", mirrors: ["b.example"] }],
    ],
  ] as const)(
    "When HyperShift has copied other %s, they should be expected of it",
    ([field, wanted, copied]) => {
      const hostedCluster = stored(
        aHostedCluster("shop", {
          metadata: { finalizers: [hypershiftFinalizer] },
          spec: { [field]: wanted },
        }),
      );
      const hub = withControlPlane(aVerified({ hostedCluster }), {
        hostedControlPlane: stored(aHostedControlPlane("shop", { [field]: copied })),
      });
      const [decision] = decide(hub).decisions;
      expect(decision).toMatchObject({ subject: "clusters/shop ControlPlane", verdict: "expected" });
      expect(decision?.differences?.join()).toContain(`spec.${field}`);
    },
  );

  test("When several parts are expected, the earliest deadline should be the next reconcile", () => {
    const hub = withControlPlane(aVerified({ guest: aGuest({ clusterVersion: guestVersion }) }), {
      operator: stored(aControlPlaneOperator("shop", "=")),
    });
    expect(decide(hub).requeueAt).toEqual(later(300));
  });
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
