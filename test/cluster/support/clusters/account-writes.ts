import { fieldsOf, objectsOf } from "#shared/domain/json/values.ts";
import {
  type Kind,
  type KubernetesObject,
  kinds,
  type ObjectMeta,
} from "#shared/domain/kubernetes/object.ts";
import { renderMachineConfig } from "#shared/domain/machine-config/machine-config.ts";
import { nodePaths, textFile } from "#shared/domain/machine-config/node-file.ts";
import { contentKeys } from "#shared/domain/precache/work/workload-contract.ts";
import {
  aHostedCluster,
  catalog,
  handedOver,
  sources,
} from "../../../support/hosted-clusters/hostile-changes.ts";
import { asNew } from "../../../support/hub/create-object.ts";
import { anImageConfig, anOwner } from "../../../support/hub/objects.ts";
import { ownWork } from "../../../support/precache/hostile-works.ts";
import { anUpgrade } from "../../../support/precache/precache-plan-objects.ts";
import { pathTo } from "../manifests/schema-mutations.ts";

/**
 * What an account writes: an object with its own fields, and the paths that it may write on creation, by an update, and of
 * the status. A path that ends with `**` stands for all below it.
 */
export type Write = Readonly<{
  object: KubernetesObject;
  create?: readonly string[];
  update?: readonly string[];
  status?: readonly string[];
}>;

const annotation = (name: string) => pathTo("metadata.annotations", `hubrelay.dev/${name}`);
const label = (name: string) => pathTo("metadata.labels", `hubrelay.dev/${name}`);
const conditionPaths = (...types: readonly string[]) => types.map((type) => `status.conditions[${type}].**`);
const below = (...paths: readonly string[]) => paths.map((path) => `${path}.**`);

const time = "2026-03-01T02:00:00Z";
const conditions = (...types: readonly string[]) =>
  types.map((type) => ({ type, status: "True", reason: "R", message: "m", lastTransitionTime: time }));
const texts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "x"]));
const owner = {
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  name: "own",
  uid: "1-1",
};
const ownerPaths = ({ kind, name }: Readonly<{ kind: string; name: string }>) => {
  const path = `metadata.ownerReferences[${kind}/${name}]`;
  return ["metadata.ownerReferences", path, `${path}.name`, `${path}.uid`];
};

function objectOf(
  { apiVersion, kind, namespaced }: Kind,
  fields: Readonly<Record<string, unknown>>,
  metadata: Partial<ObjectMeta> = {},
): KubernetesObject {
  const within = namespaced ? { namespace: "default" } : {};
  return { apiVersion, kind, metadata: { name: "own", ...within, ...metadata }, ...fields };
}

const eventAnnotations = [
  "correlation-id",
  "decided-from",
  "observed",
  "outcomes",
  "release-repositories",
  "waits-for",
];
const changedEvent = [
  ...eventAnnotations.map(annotation),
  ...below("count", "involvedObject", "lastTimestamp", "message", "type"),
];
/** The Events of a function, which are about an object in the namespace `default`. */
const events = (name: string): Write => ({
  object: objectOf(
    kinds.Event,
    {
      involvedObject: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "a" },
      type: "Warning",
      reason: "Reported",
      message: "m",
      source: { component: `hubrelay-${name}` },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    },
    {
      labels: { "hubrelay.dev/function": name, ...texts("hubrelay.dev/hosted-cluster", "hubrelay.dev/key") },
      annotations: texts(...eventAnnotations.map((one) => `hubrelay.dev/${one}`)),
    },
  ),
  create: [
    ...changedEvent,
    "metadata.name",
    "metadata.annotations",
    label("hosted-cluster"),
    label("key"),
    ...below("firstTimestamp", "reason", "source"),
  ],
  update: changedEvent,
});

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

const readinessPaths = [
  annotation("outcomes"),
  ...below(
    ..."accessEnds architectures images known message problems readAt ready reason revision since warnings".split(
      " ",
    ),
  ),
];
const reportPaths = below("clusters", "lookAt", "pulls", "revision", "written");

const manifests = objectsOf(fieldsOf(fieldsOf(ownWork.spec).workload).manifests);
const manifestPath = (kind: string) => {
  const { metadata } = manifests.find((manifest) => manifest.kind === kind) ?? {};
  return `spec.workload.manifests[${kind}/${fieldsOf(metadata).name}]`;
};
const job = manifestPath("Job");
const container = `${job}.spec.template.spec.containers[pre-cache-container]`;
/** A hub with an older definition of ManifestWork stores fewer fields. */
const configPaths = [
  "spec.manifestConfigs",
  ...["[0]", "[1]"].flatMap((index) =>
    ["", ".feedbackRules", ".resourceIdentifier", ".updateStrategy"].map(
      (field) => `spec.manifestConfigs${index}${field}`,
    ),
  ),
  "spec.manifestConfigs[0].conditionRules",
];

const upgrade = asNew(
  anUpgrade(
    { preCachingConfigRef: { name: "config", namespace: "ztp" } },
    {
      namespace: "default",
      name: "own",
      annotations: texts(
        ..."check enable-after-precaching outcomes retry workload-image"
          .split(" ")
          .map((one) => `hubrelay.dev/${one}`),
      ),
    },
  ),
);
const planned = ["hubrelay.dev/outcomes", "hubrelay.dev/workload-image"];
const upgradeConditions = {
  planning: ["ClustersSelected", "Validated", "PrecacheSpecValid"],
  following: ["PrecacheImagesReady", "PrecachingSuceeded"],
};
const plannedUpgrade: KubernetesObject = {
  ...upgrade,
  status: {
    conditions: conditions("Progressing", ...Object.values(upgradeConditions).flat()),
    precaching: {
      spec: { platformImage: "quay.io/a/b:c", additionalImages: ["quay.io/a/b:c"], spaceRequired: "45" },
      clusters: ["sno1", "sno2"],
      status: { sno1: "Succeeded", sno2: "Active" },
    },
    remediationPlan: [["sno1"], ["sno2"]],
  },
};

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
  "hosted-clusters": [
    {
      object: {
        ...aHostedCluster("own", {
          ...handedOver,
          ...texts(catalog, "hubrelay.dev/outcomes", "hubrelay.dev/reported-derived-fields"),
        }),
        spec: { ...fieldsOf(aHostedCluster("own", {}).spec), ...sources },
      },
      update: [
        annotation("outcomes"),
        annotation("reported-derived-fields"),
        pathTo("metadata.annotations", catalog),
        "spec.imageContentSources.**",
      ],
    },
    // Nothing is handed over.
    {
      object: aHostedCluster(
        "own",
        texts(catalog, "hubrelay.dev/outcomes", "hubrelay.dev/reported-derived-fields"),
      ),
      update: [annotation("outcomes"), annotation("reported-derived-fields")],
    },
    events("hosted-clusters"),
  ],
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
  "precache-cluster": [
    {
      object: ownWork,
      create: [
        annotation("cgu"),
        ..."attempt cgu-namespace precache-revision".split(" ").map(label),
        label("cgu"),
        "spec.deleteOption",
        "spec.deleteOption.propagationPolicy",
        "spec.deleteOption.ttlSecondsAfterFinished",
        ...configPaths,
        "metadata.annotations",
        `${manifestPath("ConfigMap")}.data`,
        ...contentKeys.map((key) => pathTo(`${manifestPath("ConfigMap")}.data`, key)),
        `${job}.spec.activeDeadlineSeconds`,
        `${job}.spec.suspend`,
        `${container}.env[PULL_BANDWIDTH_MBITS]`,
        `${container}.env[PULL_PARALLEL]`,
        `${container}.image`,
      ],
      update: [`${job}.spec.suspend`],
    },
  ],
  "precache-plan": [
    {
      object: plannedUpgrade,
      update: [...planned.map((one) => pathTo("metadata.annotations", one)), "spec.enable"],
      status: [
        ...conditionPaths(...upgradeConditions.planning),
        ...below("status.precaching.spec", "status.precaching.clusters"),
      ],
    },
    // Nothing requests the rollout after pre-caching, or pre-caching has not ended.
    ...[
      { ...plannedUpgrade, metadata: { ...plannedUpgrade.metadata, annotations: texts(...planned) } },
      {
        ...plannedUpgrade,
        status: { ...fieldsOf(plannedUpgrade.status), conditions: conditions("Validated") },
      },
    ].map((object) => ({ object, update: planned.map((one) => pathTo("metadata.annotations", one)) })),
    events("precache-plan"),
  ],
  "precache-ready": [
    {
      object: objectOf(
        kinds.ReadinessReport,
        {
          revision: "a",
          ready: "True",
          reason: "ImagesReady",
          message: "m",
          since: time,
          images: { "quay.io/a/b:c": {} },
        },
        { annotations: texts("hubrelay.dev/outcomes"), ownerReferences: [owner] },
      ),
      create: [...readinessPaths, ...ownerPaths(owner), "metadata.name", "metadata.annotations"],
      update: readinessPaths,
    },
    events("precache-ready"),
  ],
  "precache-status": [
    {
      object: plannedUpgrade,
      update: [annotation("check"), annotation("retry")],
      status: [...conditionPaths(...upgradeConditions.following), "status.precaching.status.**"],
    },
    {
      object: objectOf(
        kinds.PreCachingReport,
        { revision: "a", written: time, clusters: { sno1: { state: "Active" } } },
        { labels: texts("hubrelay.dev/cgu", "hubrelay.dev/cgu-namespace"), ownerReferences: [owner] },
      ),
      create: [
        ...reportPaths,
        ...ownerPaths(owner),
        label("cgu"),
        label("cgu-namespace"),
        "metadata.name",
        "metadata.labels",
      ],
      update: reportPaths,
    },
  ],
  resync: [],
};
