import { kinds } from "#shared/domain/kubernetes/object.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { nodePaths, textFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { anImageConfig, anOwner } from "../../../support/hub/objects.ts";
import { hostedClusterWrites } from "./hosted-cluster-writes.ts";
import { precachingWrites } from "./precaching-writes.ts";
import {
  annotation,
  below,
  conditionPaths,
  conditions,
  events,
  objectOf,
  texts,
  time,
  type Write,
} from "./write.ts";

const leasePaths = [
  annotation("heartbeat"),
  annotation("outcomes-owed-since"),
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
          annotations: texts("hubrelay.dev/heartbeat", "hubrelay.dev/outcomes-owed-since"),
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
        status: { open: true, changedAt: time, conditions: conditions("Other", "Ready", "LongEnough") },
      }),
      status: [
        ...conditionPaths("Ready", "LongEnough"),
        ...below(
          ..."changedAt closesAt inside insideClusters nextOpening observedGeneration open upgrades waiting waitingClusters waitingHostedClusters waitingPools"
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
