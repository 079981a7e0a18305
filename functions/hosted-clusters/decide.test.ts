import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { hypershiftFinalizer } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  aCatalogSource,
  afterwards,
  aGuest,
  annotated,
  aSettled,
  aSnapshot,
  cluster,
  inRelease,
  isEvent,
  knownCapabilities,
  noTraces,
  setting,
  testOwned,
  withControlPlane,
} from "../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import { sources } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";
import { outcomesOf } from "../../test/support/messages/outcomes-of.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

testOwned("a hosted cluster that hubrelay owns", [
  {
    name: "When nothing is written yet, it should write control plane and guest",
    snapshot: () =>
      aSnapshot({ hostedCluster: cluster({ imageContentSources: sources }), mirrorObjects: inRelease }),
    report: [
      "shop update: handed over by the annotation hubrelay.dev/take-over: update HostedControlPlane shop, update Deployment control-plane-operator, create ImageStream catalogs, create ConfigMap ignition-config-40-image-content-source, create ImageDigestMirrorSet cluster in the guest, create OperatorHub cluster in the guest, create CatalogSource certified-operators in the guest, create CatalogSource community-operators in the guest, create CatalogSource redhat-marketplace in the guest, create CatalogSource redhat-operators in the guest, update ClusterVersion version in the guest",
      "update HostedControlPlane shop: annotations and fields are copied from the HostedCluster; changes spec.imageContentSources",
      "update Deployment control-plane-operator: 1 source of the management cluster's mirrors applies to it; changes spec.template",
      "create ImageStream catalogs: the stream of the catalogs",
      "create ConfigMap ignition-config-40-image-content-source: the nodes' mirrors",
      "create ImageDigestMirrorSet cluster in clusters/shop: spec.imageContentSources of the HostedCluster",
      "create OperatorHub cluster in clusters/shop: spec.configuration.operatorhub of the HostedCluster",
      "create CatalogSource certified-operators in clusters/shop: the default catalogs of the release",
      "create CatalogSource community-operators in clusters/shop: the default catalogs of the release",
      "create CatalogSource redhat-marketplace in clusters/shop: the default catalogs of the release",
      "create CatalogSource redhat-operators in clusters/shop: the default catalogs of the release",
      "update ClusterVersion version in clusters/shop: spec.capabilities of the HostedCluster; changes spec.capabilities",
    ],
  },
  {
    name: "When everything is written, it should say so",
    snapshot: () => aSettled(),
    report: ["shop unchanged: handed over by the annotation hubrelay.dev/take-over"],
  },
  {
    name: "When the control plane does not exist yet, it should say so",
    snapshot: () => withControlPlane(aSettled(), { hostedControlPlane: undefined, operator: undefined }),
    report: [
      "shop waiting: handed over by the annotation hubrelay.dev/take-over; its HostedControlPlane does not exist",
    ],
  },
  {
    name: "When the guest does not respond, it should say so",
    snapshot: () => aSettled({ guest: { state: "unreachable", message: "the API did not respond" } }),
    report: ["shop waiting: handed over by the annotation hubrelay.dev/take-over; the API did not respond"],
  },
  {
    name: "When it is taken over while it is paused, it should write",
    snapshot: () =>
      withControlPlane(
        aSettled({
          hostedCluster: cluster(
            { pausedUntil: "True" },
            {
              metadata: {
                finalizers: [hypershiftFinalizer],
                annotations: { "hubrelay.dev/take-over": "true" },
              },
            },
          ),
        }),
        { imageStream: undefined },
      ),
    report: [
      "shop update: handed over by the annotation hubrelay.dev/take-over: create ImageStream catalogs",
      "create ImageStream catalogs: the stream of the catalogs",
    ],
  },
  {
    name: "When the location of its release is unknown, it should say why",
    snapshot: () => aSettled({ payload: { state: "unknown", problems: ["a: 503", "b: 401"] } }),
    report: [
      "shop Release images unknown: a: 503; b: 401",
      "shop unchanged: handed over by the annotation hubrelay.dev/take-over",
    ],
  },
  {
    name: "When access to a registry is missing, it should report that",
    snapshot: () =>
      aSettled({
        accessIssues: [
          {
            code: "AuthoritiesForbidden",
            severity: "warning",
            object: { kind: "HostedCluster", name: "shop", namespace: "clusters" },
            path: "",
            value: undefined,
            message: "May not read.",
            remedy: "Permit it.",
          },
        ],
      }),
    report: [
      "shop unchanged: handed over by the annotation hubrelay.dev/take-over",
      "create Event Warning AuthoritiesForbidden: May not read. Permit it.",
    ],
  },
]);

test("When lists are read in another order, the plan should be the same", () => {
  const mirrorObjects = [
    ...inRelease,
    aDigestMirrorSet("all", [{ source: "quay.io", mirrors: ["b.example", "a.example"] }]),
    aDigestMirrorSet("other", [{ source: "quay.io", mirrors: ["c.example"] }]),
  ];
  const shuffled = <Item>(items: readonly Item[]) =>
    fc.shuffledSubarray([...items], { minLength: items.length });
  fc.assert(
    fc.property(
      shuffled(mirrorObjects),
      shuffled(knownCatalogs.map(({ name }) => aCatalogSource(name))),
      (mirrors, catalogSources) => {
        const plan = decide(aSnapshot({ mirrorObjects: mirrors, guest: aGuest({ catalogSources }) }));
        const same = decide(
          aSnapshot({
            mirrorObjects,
            guest: aGuest({ catalogSources: knownCatalogs.map(({ name }) => aCatalogSource(name)) }),
          }),
        );
        expect(plan.actions).toEqual(same.actions);
      },
    ),
    { numRuns: 30 },
  );
});

describe("errors", () => {
  test("When an error survives an edit of the hosted cluster, it should be refused again, as another outcome", () => {
    const invalid = { "hubrelay.dev/olm-catalogs": "yes" };
    const hub = aSettled({ hostedCluster: annotated(invalid) });
    const first = decide(hub);
    const present = annotated(invalid);
    const edited = { ...present, metadata: { ...present.metadata, resourceVersion: "8" } };
    const second = decide({ ...afterwards(hub, first), hostedCluster: edited });
    const refused = (plan: Plan) => outcomesOf(plan).filter(({ type }) => type.endsWith(".refused"));
    expect(refused(first)[0]?.data).toMatchObject({ issueCount: 1, issues: [{ code: "InvalidAnnotation" }] });
    expect(refused(second)).toHaveLength(1);
    expect(refused(second)[0]?.id).not.toBe(refused(first)[0]?.id);
  });

  test("When its own update leaves a disabled capability on, or removes a leftover setting, it should report only what remains", () => {
    const hostedCluster = cluster({ capabilities: { disabled: ["ImageRegistry"] } });
    const reasons = (snapshot: Snapshot) =>
      decide(snapshot)
        .actions.filter(isEvent)
        .map(({ object }) => object.reason);
    const guest = aGuest({ clusterVersion: knownCapabilities("ImageRegistry") });
    const present = { hostedCluster, guest };
    expect(reasons(aSnapshot(present))).toContain("ImplicitlyEnabled");
    const traces = { ...noTraces, isDisabled: true, controlPlane: [setting] };
    const unable = aSnapshot({ ...present, traces });
    expect(reasons(unable)).toContain("CapabilityLeftover");
    const able = withControlPlane(unable, { settings: [setting] });
    expect(reasons(able)).not.toContain("CapabilityLeftover");
  });
});

describe("a hosted cluster that is gone", () => {
  test("When it is deleted, it should delete its Events and nothing else", () => {
    const before = aSettled();
    const gone = { ...before, hostedCluster: undefined };
    const plan = decide(gone);
    expect(plan.decisions).toEqual([
      { subject: "clusters/shop", verdict: "gone", reason: "the HostedCluster does not exist" },
    ]);
    expect(plan.actions.map(({ verb, object }) => `${verb} ${object.kind}`)).toEqual(["delete Event"]);
    expect(decide({ ...afterwards(gone, plan), hostedCluster: undefined }).actions).toEqual([]);
  });
});
