import { fieldsOf, objectsOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { contentKeys } from "#shared/domain/precache-start/work/workload-contract.ts";
import { asNew } from "../../../support/hub/create-object.ts";
import { ownWork } from "../../../support/precache/hostile-works.ts";
import { anUpgrade } from "../../../support/precache/precache-plan-objects.ts";
import { pathTo } from "./schema-mutations.ts";
import {
  annotation,
  below,
  conditionPaths,
  conditions,
  events,
  label,
  objectOf,
  ownerPaths,
  texts,
  time,
  type Write,
} from "./write.ts";

const owner = {
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  name: "own",
  uid: "1-1",
};
const readinessPaths = [
  annotation("outcomes"),
  ...below(
    ..."accessEnds architectures images known message problems readAt ready reason revision since version warnings".split(
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

/** What the accounts of pre-caching may write. */
export const precachingWrites: Readonly<Record<string, readonly Write[]>> = {
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
};
