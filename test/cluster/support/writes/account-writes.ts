import { withOverridesText } from "#functions/hosted-clusters/planning/desired.ts";
import { overridesVariable } from "#functions/hosted-clusters/well-known-names.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds, type ObjectMeta } from "#shared/domain/kubernetes/object.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { nodePaths, textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import {
  aGuardedCluster,
  catalog,
  handedOver,
  sources,
} from "../../../support/hosted-clusters/hostile-changes.ts";
import { anImageConfig, anOwner } from "../../../support/hub/objects.ts";
import {
  controlPlaneOperator,
  controlPlaneSettings,
  hostedControlPlane,
} from "../manifests/control-plane.ts";
import { precachingWrites } from "./precaching-writes.ts";
import { pathTo } from "./schema-mutations.ts";
import {
  annotation,
  below,
  conditionPaths,
  conditions,
  events,
  objectOf,
  ownerPaths,
  texts,
  time,
  type Write,
} from "./write.ts";

const controlPlane = {
  apiVersion: "hypershift.openshift.io/v1beta1",
  kind: "HostedControlPlane",
  name: "shop",
  uid: "1-1",
};
const owned = {
  annotations: texts("hubrelay.dev/outcomes"),
  ownerReferences: [{ ...controlPlane, controller: true }],
};
const [owners = "", ownerPath = "", ...ownerFields] = ownerPaths(controlPlane);
const newPaths = [annotation("outcomes"), ...ownerFields, `${ownerPath}.controller`];
/** The control plane takes the place of another owner. */
const ownedPaths = [
  ...newPaths,
  owners,
  ownerPath,
  `metadata.ownerReferences[${anOwner.kind}/${anOwner.name}]`,
];
/** An object of a control plane, as hubrelay has written it before. */
const writtenBefore = ({ metadata, ...object }: KubernetesObject, more: Partial<ObjectMeta> = {}) => ({
  ...object,
  metadata: { ...metadata, namespace: "default", ...more },
});
const withOverrides = withOverridesText(controlPlaneOperator, "quay.io/a=quay.io/b");
const variable = `spec.template.spec.containers[operator].env[${overridesVariable}]`;

/** In own mode: infra/kubernetes/components/own-hosted-clusters. */
const ownMode: readonly Write[] = [
  {
    object: writtenBefore(hostedControlPlane, { annotations: texts(catalog, "hubrelay.dev/outcomes") }),
    update: [
      annotation("outcomes"),
      pathTo("metadata.annotations", catalog),
      "spec.imageContentSources.**",
      "spec.capabilities.**",
      "spec.olmCatalogPlacement.**",
    ],
  },
  {
    object: writtenBefore(withOverrides, owned),
    update: [annotation("outcomes"), variable, `${variable}.value`],
  },
  {
    object: objectOf(
      kinds.ImageStream,
      { spec: { lookupPolicy: { local: true }, tags: [{ name: "a" }] } },
      { ...owned, name: "catalogs" },
    ),
    create: [...newPaths, "metadata.annotations", "spec.**"],
    update: [...ownedPaths, "spec", "spec.lookupPolicy.**", "spec.tags.**"],
  },
  {
    object: objectOf(
      kinds.ConfigMap,
      { data: { config: "x" } },
      {
        ...owned,
        name: "ignition-config-40-image-content-source",
        labels: { "hypershift.openshift.io/core-ignition-config": "true" },
      },
    ),
    create: [
      ...newPaths,
      "metadata.annotations",
      "metadata.labels",
      pathTo("metadata.labels", "hypershift.openshift.io/core-ignition-config"),
      "data",
      "data.config",
    ],
    update: [
      ...ownedPaths,
      pathTo("metadata.labels", "hypershift.openshift.io/core-ignition-config"),
      "data",
      "data.config",
    ],
  },
  ...controlPlaneSettings.map((settings) => ({
    object: writtenBefore(settings, owned),
    update: [
      annotation("outcomes"),
      "data",
      ...Object.keys(fieldsOf(settings.data)).map((file) => pathTo("data", file)),
    ],
  })),
];

/** What the account of hosted-clusters may write. */
const hostedClusterWrites: readonly Write[] = [
  {
    object: {
      ...aGuardedCluster("own", {
        ...handedOver,
        ...texts(catalog, "hubrelay.dev/outcomes"),
      }),
      spec: { ...fieldsOf(aGuardedCluster("own", {}).spec), ...sources },
    },
    update: [annotation("outcomes"), pathTo("metadata.annotations", catalog)],
  },
  // Nothing is handed over.
  {
    object: aGuardedCluster("own", texts(catalog, "hubrelay.dev/outcomes")),
    update: [annotation("outcomes")],
  },
  events("hosted-clusters"),
  ...ownMode,
];

const leasePaths = [
  annotation("heartbeat"),
  annotation("outcomes-owed-since"),
  annotation("process"),
  "spec",
  "spec.acquireTime",
  "spec.holderIdentity",
  "spec.leaseDurationSeconds",
  "spec.leaseTransitions",
  "spec.renewTime",
];

const configFile = `spec.config.storage.files[${nodePaths.registriesConf}]`;
const machineConfigPaths = [
  annotation("outcomes"),
  annotation("owned-by"),
  "metadata.ownerReferences",
  "metadata.ownerReferences[Image/cluster]",
  "metadata.ownerReferences[Image/cluster].uid",
  "spec.config.storage",
  "spec.config.storage.files",
  configFile,
  `${configFile}.contents.source`,
];

/** What each account may write on a hub. */
export const accountWrites: Readonly<Record<string, readonly Write[]>> = {
  console: [],
  forwarder: [
    {
      object: objectOf(
        kinds.Lease,
        {
          spec: {
            acquireTime: "2026-03-01T02:00:00.000000Z",
            holderIdentity: "pod-1",
            leaseDurationSeconds: 15,
            leaseTransitions: 1,
            renewTime: "2026-03-01T02:00:00.000000Z",
          },
        },
        {
          namespace: "hubrelay",
          name: "hubrelay-forwarder",
          annotations: texts(
            "hubrelay.dev/heartbeat",
            "hubrelay.dev/outcomes-owed-since",
            "hubrelay.dev/process",
          ),
        },
      ),
      create: [...leasePaths, "metadata.annotations"],
      update: leasePaths,
    },
  ],
  "hosted-clusters": hostedClusterWrites,
  "maintenance-window": [
    {
      object: objectOf(kinds.MaintenanceWindow, {
        spec: { schedule: "0 2 * * *", timeZone: "UTC", duration: "2h" },
        status: { open: true, changedAt: time, conditions: conditions("Other", "Ready") },
      }),
      status: [
        ...conditionPaths("Ready"),
        ...below(
          ..."changedAt closesAt inside insideClusters nextOpening observedGeneration open upgrades waiting waitingClusters waitingPools"
            .split(" ")
            .map((field) => `status.${field}`),
        ),
      ],
    },
  ],
  "mirror-config": [
    {
      object: (({ metadata, ...machineConfig }) => ({
        ...machineConfig,
        metadata: { ...metadata, annotations: texts("hubrelay.dev/outcomes", "hubrelay.dev/owned-by") },
      }))(
        renderMachineConfig({
          pool: "worker",
          files: [textFile(nodePaths.registriesConf, "")],
          image: anImageConfig(),
        }),
      ),
      create: [...machineConfigPaths, "metadata.annotations"],
      // The Image takes the place of another owner.
      update: [...machineConfigPaths, `metadata.ownerReferences[${anOwner.kind}/${anOwner.name}]`],
    },
    ...[
      kinds.ClusterImagePolicy,
      kinds.ImagePolicy,
      kinds.ImageSourceDigestPolicy,
      kinds.ImageSourceTagPolicy,
      kinds.OperatorImageSourceDigestPolicy,
      kinds.OperatorImageSourceTagPolicy,
    ].map((kind) => ({
      object: objectOf(kind, { spec: {}, status: { conditions: conditions("Other", "Failed") } }),
      status: conditionPaths("Failed"),
    })),
    events("mirror-config"),
  ],
  ...precachingWrites,
  resync: [],
};
