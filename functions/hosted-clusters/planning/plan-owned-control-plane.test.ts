import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  aControlPlaneOperator,
  aHostedControlPlane,
} from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import {
  anImageStream,
  annotated,
  aSettled,
  cluster,
  forCatalogs,
  foundIn,
  inRelease,
  namespace,
  settled,
  stored,
  testOwned,
  withAnnotations,
  withControlPlane,
} from "../../../test/support/hosted-clusters/hosted-cluster-snapshots.ts";
import { pair, sources } from "../../../test/support/hosted-clusters/hosted-cluster-worlds.ts";

const ignitionOf = (owner: string): KubernetesObject =>
  stored({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "ignition-config-40-image-content-source",
      namespace,
      ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: owner, controller: true }],
    },
    data: { config: "x" },
  });

const moved = forCatalogs("update", "the default catalogs of the release; changes spec.address, spec.image");

testOwned("the control plane of a hosted cluster that hubrelay owns", [
  {
    name: "When the control plane has no operator yet, it should write the rest",
    snapshot: () => withControlPlane(aSettled({ mirrorObjects: inRelease }), { operator: undefined }),
    report: [],
  },
  {
    name: "When the management cluster has no ImageStreams, it should write none",
    snapshot: () => withControlPlane(aSettled(), { hasImageStreams: false, imageStream: undefined }),
    report: [],
  },
  {
    name: "When a registry fails, it should leave the catalogs as they are and report that",
    snapshot: () =>
      withControlPlane(aSettled({ findings: { state: "incomplete", messages: ["r: 503", "s: 503"] } }), {
        imageStream: anImageStream(),
      }),
    report: [
      'create Event Warning CatalogsNotFound: metadata.annotations["hubrelay.dev/olm-catalogs"]: Not every catalog was found, and a control plane of 4.20 refuses an incomplete set, so none is changed: r: 503; s: 503. Mirror certified-operator-index, community-operator-index, redhat-marketplace-index, redhat-operator-index, and check that the registry responds.',
    ],
  },
  {
    name: "When the catalogs were not searched, it should leave them as they are",
    snapshot: () =>
      withControlPlane(aSettled({ findings: { state: "not needed" } }), { imageStream: undefined }),
    report: [],
  },
  {
    name: "When the catalogs change, the stream should get their images",
    snapshot: () => aSettled({ findings: foundIn("m.example/olm", 2) }),
    report: ["update ImageStream catalogs: the stream of the catalogs; changes spec.tags"],
  },
  {
    name: "When the catalogs are given by digest, it should no longer import them",
    snapshot: () =>
      aSettled({
        findings: { state: "not needed" },
        hostedCluster: annotated(
          Object.fromEntries(
            knownCatalogs.map(({ imageAnnotation, repository }) => [
              imageAnnotation,
              `m.example/olm/${repository}@sha256:${"a".repeat(64)}`,
            ]),
          ),
        ),
      }),
    report: [
      'update HostedControlPlane shop: annotations and fields are copied from the HostedCluster; changes metadata.annotations["hypershift.openshift.io/certified-operators-catalog-image"], metadata.annotations["hypershift.openshift.io/community-operators-catalog-image"], metadata.annotations["hypershift.openshift.io/redhat-marketplace-catalog-image"], metadata.annotations["hypershift.openshift.io/redhat-operators-catalog-image"]',
      "delete ImageStream catalogs: the stream of the catalogs is not needed",
    ],
  },
  {
    name: "When an image of a catalog is refused, it should leave the catalogs as they are",
    snapshot: () =>
      aSettled({
        hostedCluster: annotated({
          "hypershift.openshift.io/redhat-operators-catalog-image": "m.example/redhat:v4.20",
        }),
      }),
    report: [
      'update HostedControlPlane shop: annotations and fields are copied from the HostedCluster; changes metadata.annotations["hypershift.openshift.io/redhat-operators-catalog-image"]',
      'create Event Warning CatalogNotByDigest: metadata.annotations["hypershift.openshift.io/redhat-operators-catalog-image"]: images for OLM catalogs should be referenced only by digest. Write the image with @sha256: and its digest.',
      "outcome refused",
    ],
  },
  {
    name: "When the catalogs move to the guest, it should delete its own stream",
    snapshot: () => aSettled({ hostedCluster: cluster({ olmCatalogPlacement: "guest" }) }),
    report: [
      "delete ImageStream catalogs: the stream of the catalogs is not needed",
      ...moved,
      "create Event Warning ControlPlaneImmutable: spec.olmCatalogPlacement: The HostedControlPlane has a different spec.olmCatalogPlacement, which is immutable. Recreate the HostedControlPlane with the spec.olmCatalogPlacement of its HostedCluster.",
      "outcome refused",
    ],
  },
  {
    name: "When the catalogs move to the guest and another owner has a stream, it should not delete that",
    snapshot: () =>
      withControlPlane(aSettled({ hostedCluster: cluster({ olmCatalogPlacement: "guest" }) }), {
        imageStream: anImageStream("uid-of-other"),
      }),
    report: [
      ...moved,
      "create Event Warning ControlPlaneImmutable: spec.olmCatalogPlacement: The HostedControlPlane has a different spec.olmCatalogPlacement, which is immutable. Recreate the HostedControlPlane with the spec.olmCatalogPlacement of its HostedCluster.",
      "outcome refused",
    ],
  },
  {
    name: "When a stream has another owner besides the control plane, it should leave it as it is",
    snapshot: () => {
      const { imageStream } = aSettled().controlPlane;
      const { ownerReferences = [] } = imageStream?.metadata ?? {};
      const other = { apiVersion: "v1", kind: "X", name: "x", uid: "uid-of-other" };
      return withControlPlane(aSettled(), {
        imageStream: imageStream && {
          ...imageStream,
          metadata: { ...imageStream.metadata, ownerReferences: [...ownerReferences, other] },
        },
      });
    },
    report: [],
  },
  {
    name: "When the control plane has annotations that the hosted cluster lacks, it should remove those that are copied",
    snapshot: () =>
      withControlPlane(aSettled(), {
        hostedControlPlane: withAnnotations(aHostedControlPlane(), {
          "hypershift.openshift.io/redhat-operators-catalog-image": "x",
          own: "x",
        }),
      }),
    report: [
      'update HostedControlPlane shop: annotations and fields are copied from the HostedCluster; changes metadata.annotations["hypershift.openshift.io/redhat-operators-catalog-image"]',
    ],
  },
  {
    name: "When a mirror applies to the release, its operator should get it",
    snapshot: () => aSettled({ mirrorObjects: inRelease }),
    report: [
      "update Deployment control-plane-operator: 1 source of the management cluster's mirrors applies to it; changes spec.template",
    ],
  },
  {
    name: "When the operator has overrides that no mirror asks for, it should remove them",
    snapshot: () => withControlPlane(aSettled(), { operator: stored(aControlPlaneOperator("shop", pair)) }),
    report: [
      "update Deployment control-plane-operator: 0 sources of the management cluster's mirrors apply to it; changes spec.template",
    ],
  },
  {
    name: "When the nodes have mirrors that the hosted cluster no longer names, it should delete its own object",
    snapshot: () => withControlPlane(aSettled(), { ignitionConfig: ignitionOf("uid-of-shop") }),
    report: ["delete ConfigMap ignition-config-40-image-content-source: the nodes' mirrors is not needed"],
  },
  {
    name: "When the nodes' mirrors have another owner, it should not delete them",
    snapshot: () => withControlPlane(aSettled(), { ignitionConfig: ignitionOf("uid-of-other") }),
    report: [],
  },
  {
    name: "When a label of the nodes' mirrors is gone, it should write it again",
    snapshot: () => {
      const hub = aSettled({ hostedCluster: cluster({ imageContentSources: sources }) });
      const { ignitionConfig } = settled(hub).controlPlane;
      return withControlPlane(settled(hub), {
        ignitionConfig: ignitionConfig && {
          ...ignitionConfig,
          metadata: { ...ignitionConfig.metadata, labels: {} },
        },
      });
    },
    report: [
      `update ConfigMap ignition-config-40-image-content-source: the nodes' mirrors; changes metadata.labels["hypershift.openshift.io/core-ignition-config"]`,
    ],
  },
]);
