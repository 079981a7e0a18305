import { describe, expect, test } from "vitest";
import { guestClusterVersion } from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  aCatalogSource,
  aGuest,
  anOperatorHub,
  aSettled,
  aSnapshot,
  cluster,
  forCatalogs,
  type Guest,
  knownCapabilities,
  noTraces,
  setting,
  stored,
  testOwned,
  withControlPlane,
  written,
} from "../../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import { sources } from "../../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { decide } from "../decide.ts";
import type { Snapshot } from "../observe.ts";

const withGuest = (snapshot: Snapshot, changes: Partial<Guest>): Snapshot =>
  snapshot.guest.state === "seen" ? { ...snapshot, guest: { ...snapshot.guest, ...changes } } : snapshot;

const catalogsOff = { configuration: { operatorhub: { disableAllDefaultSources: true } } };

const removed = forCatalogs("delete", "the default catalogs are disabled");
const created = forCatalogs("create", "the default catalogs of the release");

testOwned("the guest of a hosted cluster that hubrelay owns", [
  {
    name: "When the catalogs run in the guest and the guest disables them, it should delete them there",
    snapshot: () =>
      withGuest(aSettled({ hostedCluster: cluster({ olmCatalogPlacement: "guest" }) }), {
        operatorHub: anOperatorHub({ disableAllDefaultSources: true }),
      }),
    report: [
      "delete ImageStream catalogs: the stream of the catalogs is not needed",
      ...removed,
      "create Event Warning ControlPlaneImmutable: spec.olmCatalogPlacement: The HostedControlPlane has a different spec.olmCatalogPlacement, which is immutable. Recreate the HostedControlPlane with the spec.olmCatalogPlacement of its HostedCluster.",
      "outcome refused",
    ],
  },
  {
    name: "When a user changes OperatorHub although the catalogs run in the control plane, it should write it again",
    snapshot: () => withGuest(aSettled(), { operatorHub: anOperatorHub({ disableAllDefaultSources: true }) }),
    report: [
      "update OperatorHub cluster in clusters/shop: spec.configuration.operatorhub of the HostedCluster; changes spec.disableAllDefaultSources",
    ],
  },
  {
    name: "When the guest would refuse a source, it should leave the guest's mirrors, and say which source",
    snapshot: () =>
      aSettled({
        hostedCluster: cluster({
          imageContentSources: [{ source: "quay.io/a b", mirrors: ["mirror.example.com/a"] }],
        }),
      }),
    report: [
      "update HostedControlPlane shop: annotations and fields are copied from the HostedCluster; changes spec.imageContentSources",
      'create Event Warning InvalidSource: spec.imageContentSources[0].source: invalid format for source "a text of 11 characters": machine-config-operator and the guest\'s API server refuse it, so that no node gets a new configuration. A source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.',
      "outcome refused",
    ],
  },
  {
    name: "When the default catalogs are disabled, it should delete them",
    snapshot: () => aSettled({ hostedCluster: cluster(catalogsOff) }),
    report: [
      "delete ImageStream catalogs: the stream of the catalogs is not needed",
      "update OperatorHub cluster in clusters/shop: spec.configuration.operatorhub of the HostedCluster; changes spec.disableAllDefaultSources",
      ...removed,
    ],
  },
  {
    name: "When the release no longer has a catalog, it should delete that one, even while others are not found",
    snapshot: () =>
      aSettled({
        hostedCluster: cluster({
          release: { image: "quay.io/openshift-release-dev/ocp-release:4.23.1-multi" },
        }),
        findings: { state: "incomplete", messages: ["a is missing"] },
      }),
    report: [
      "delete CatalogSource redhat-marketplace in clusters/shop: the release does not have this catalog",
      'create Event Warning CatalogsNotFound: metadata.annotations["hubrelay.dev/olm-catalogs"]: Not every catalog was found, and a control plane of 4.23 refuses an incomplete set, so none is changed: a is missing. Mirror certified-operator-index, community-operator-index, redhat-operator-index, and check that the registry responds.',
    ],
  },
  {
    name: "When the guest has no marketplace and no OLM, it should write neither OperatorHub nor catalogs",
    snapshot: () => aSnapshot({ guest: aGuest({ clusterVersion: knownCapabilities("Build") }) }),
    report: [
      "create ImageStream catalogs: the stream of the catalogs",
      "create ImageDigestMirrorSet cluster in clusters/shop: spec.imageContentSources of the HostedCluster",
      "update ClusterVersion version in clusters/shop: spec.capabilities of the HostedCluster; changes spec.capabilities",
    ],
  },
  {
    name: "When the guest has marketplace and OLM, it should write OperatorHub and catalogs",
    snapshot: () =>
      aSnapshot({
        guest: aGuest({ clusterVersion: knownCapabilities("marketplace", "OperatorLifecycleManager") }),
      }),
    report: [
      "create ImageStream catalogs: the stream of the catalogs",
      "create ImageDigestMirrorSet cluster in clusters/shop: spec.imageContentSources of the HostedCluster",
      "create OperatorHub cluster in clusters/shop: spec.configuration.operatorhub of the HostedCluster",
      ...created,
      "update ClusterVersion version in clusters/shop: spec.capabilities of the HostedCluster; changes spec.capabilities",
      "create Event Warning ImplicitlyEnabled: spec.capabilities: OperatorLifecycleManager, marketplace are on in the guest without being requested. The cluster-version operator keeps on what was installed; only a new cluster is without it.",
    ],
  },
  {
    name: "When the guest has no version yet, it should write all but the capabilities",
    snapshot: () => aSnapshot({ guest: aGuest({ clusterVersion: undefined }) }),
    report: [
      "create ImageStream catalogs: the stream of the catalogs",
      "create ImageDigestMirrorSet cluster in clusters/shop: spec.imageContentSources of the HostedCluster",
      "create OperatorHub cluster in clusters/shop: spec.configuration.operatorhub of the HostedCluster",
      ...created,
    ],
  },
  {
    name: "When the guest has an older policy of the same name, it should delete that",
    snapshot: () =>
      withGuest(aSettled(), {
        contentSourcePolicy: stored({
          apiVersion: "operator.openshift.io/v1alpha1",
          kind: "ImageContentSourcePolicy",
          metadata: { name: "cluster" },
        }),
      }),
    report: ["delete ImageContentSourcePolicy cluster in clusters/shop: an ImageDigestMirrorSet replaces it"],
  },
  {
    name: "When the guest is locked, it should report what it may not write, and write the rest",
    snapshot: () =>
      withGuest(aSettled(), {
        isLocked: true,
        digestMirrorSet: undefined,
        operatorHub: undefined,
        catalogSources: [],
      }),
    report: [
      ...created,
      "create Event Warning GuestLocked: The guest's admission policies allow only HyperShift's operator to write ImageDigestMirrorSet cluster and OperatorHub cluster, and hubrelay cannot authenticate as that operator. Let hubrelay read the Secret hcco-kubeconfig in clusters-shop, or remove the policies mirror and config from the guest.",
      "outcome refused",
    ],
  },
  {
    name: "When the guest is locked and has everything, it should report nothing",
    snapshot: () => withGuest(aSettled(), { isLocked: true }),
    report: [],
  },
  {
    name: "When capabilities are disabled, it should write settings and version",
    snapshot: () =>
      withControlPlane(
        aSettled({
          hostedCluster: cluster({ capabilities: { disabled: ["ImageRegistry", "Ingress"] } }),
          traces: { isDisabled: true, ...noTraces },
        }),
        { settings: [setting] },
      ),
    report: [
      'update ConfigMap openshift-apiserver: the settings of a cluster without ImageRegistry; changes data["config.yaml"]',
      "update ClusterVersion version in clusters/shop: spec.capabilities of the HostedCluster; changes spec.capabilities",
      "create Event Warning ControlPlaneImmutable: spec.capabilities: The HostedControlPlane has a different spec.capabilities, which is immutable. Recreate the HostedControlPlane with the spec.capabilities of its HostedCluster.",
      "outcome refused",
    ],
  },
  {
    name: "When nothing is disabled, it should write settings accordingly",
    snapshot: () =>
      withControlPlane(aSettled({ traces: { isDisabled: false, ...noTraces } }), {
        settings: [{ ...setting, data: { "config.yaml": "{}" } }],
      }),
    report: [
      'update ConfigMap openshift-apiserver: the settings of a cluster with ImageRegistry; changes data["config.yaml"]',
    ],
  },
  {
    name: "When the version is unknown, it should leave the guest's capabilities as they are",
    snapshot: () =>
      withGuest(
        aSettled({
          hostedCluster: cluster({
            release: { image: `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}` },
          }),
        }),
        { clusterVersion: stored(guestClusterVersion()) },
      ),
    report: [
      "create Event Warning UnknownVersion: spec.release.image: The version of this release is unknown, so its catalogs are unknown too. Set it with --release-version.",
      "create Event Warning ReleaseUnknown: spec.release.image: the release is not known, so the capabilities are those of 5.2, the newest that hubrelay knows. Set --release-version, or wait until status.version reports it.",
    ],
  },
]);

describe("the content of writes", () => {
  test("When an object of the guest is updated, its labels, annotations and other fields should stay", () => {
    const present = aCatalogSource("redhat-operators", { image: "old" });
    const annotations = { own: "x" };
    const hub = aSnapshot({
      guest: aGuest({
        catalogSources: [{ ...present, metadata: { ...present.metadata, annotations }, status: {} }],
      }),
    });
    const source = decide(hub).actions.find(({ object }) => object.metadata.name === "redhat-operators");
    expect(source).toMatchObject({
      verb: "update",
      guest: "clusters/shop",
      object: { status: {}, metadata: { labels: { own: "x" }, annotations, resourceVersion: "3" } },
    });
    const version = written(aSnapshot(), "ClusterVersion").object;
    expect(version.spec).toMatchObject({
      channel: "stable-4.20",
      capabilities: { baselineCapabilitySet: "None" },
    });
  });

  test("When nodes get mirrors, workers should get them, without empty lists", () => {
    const imageContentSources = [...sources, { source: "quay.io/acme", mirrors: [] }];
    expect(
      written(aSnapshot({ hostedCluster: cluster({ imageContentSources }) }), "ImageDigestMirrorSet").object,
    ).toEqual(
      expect.objectContaining({
        apiVersion: "config.openshift.io/v1",
        metadata: expect.objectContaining({
          name: "cluster",
          labels: { "machineconfiguration.openshift.io/role": "worker" },
        }),
        spec: { imageDigestMirrors: [...sources, { source: "quay.io/acme" }] },
      }),
    );
  });
});
