import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds, type ObjectMeta } from "#shared/domain/kubernetes/object.ts";
import { withOverridesText } from "../../../../functions/hosted-clusters/planning/environment-of.ts";
import { overridesVariable } from "../../../../functions/hosted-clusters/well-known-names.ts";
import {
  aHostedCluster,
  catalog,
  handedOver,
  sources,
} from "../../../support/hosted-clusters/hostile-changes.ts";
import { anOwner } from "../../../support/hub/objects.ts";
import {
  controlPlaneOperator,
  controlPlaneSettings,
  hostedControlPlane,
} from "../manifests/control-plane.ts";
import { pathTo } from "./schema-mutations.ts";
import { annotation, events, objectOf, ownerPaths, texts, type Write } from "./write.ts";

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
export const hostedClusterWrites: readonly Write[] = [
  {
    object: {
      ...aHostedCluster("own", {
        ...handedOver,
        ...texts(catalog, "hubrelay.dev/outcomes"),
      }),
      spec: { ...fieldsOf(aHostedCluster("own", {}).spec), ...sources },
    },
    update: [annotation("outcomes"), pathTo("metadata.annotations", catalog), "spec.imageContentSources.**"],
  },
  // Nothing is handed over.
  {
    object: aHostedCluster("own", texts(catalog, "hubrelay.dev/outcomes")),
    update: [annotation("outcomes")],
  },
  events("hosted-clusters"),
  ...ownMode,
];
